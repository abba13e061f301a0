//! Every registered mapping heuristic: the checks that users are given, its definition step by step, and, where tasks
//! are mapped as they arrive, one task after the other.

use crate::judge::{Verdict, ensure, family, of, part};
use econsched::grid_heuristics::{Mapping, MappingKind, MinMin};
use econsched::sched_model::{EtcMatrix, Time};
use econsched::testkit::{self, MappingCase, Seen, oracle};

family!(Mappings: MappingCase, MappingCase::draw, judge);

fn judge(case: &MappingCase) -> Verdict<Seen> {
    let mut seen = Seen::default();
    let etc = part(EtcMatrix::new(case.times.len(), case.ready.len(), case.times.concat()))?;
    let ready = part(case.ready.iter().map(|&at| Time::new(at)).collect::<Result<Vec<_>, _>>())?;
    let etc = etc.with_ready(&ready[..]);
    for &kind in MappingKind::ALL {
        let heuristic = kind.build();
        let check = testkit::mapping(heuristic.as_ref());
        let check = if kind == MappingKind::Duplex { check.with_makespan_of(&MinMin) } else { check };
        seen += of(&kind, check.judge(case))?;
        follows(kind, &etc)?;
        let Some(mut immediate) = kind.build_immediate() else { continue };
        let (mut loads, batch) = (ready.clone(), heuristic.map(&etc)?);
        for task in 0..etc.rows() {
            let resource = batch.resources()[task];
            let alone = immediate.choose(etc.row(task), &loads);
            ensure!(alone == Some(resource), "{kind}: task {task} on {resource}, alone on {alone:?}");
            loads[resource] = batch.finishes()[task];
        }
    }
    Ok(seen)
}

/// The mapping of a heuristic is that of its definition, where that is written.
pub(crate) fn follows(kind: MappingKind, etc: &EtcMatrix) -> Verdict {
    let Some(steps) = oracle::mapping(kind, etc) else { return Ok(()) };
    let (found, literal) = (kind.build().map(etc)?, Mapping::from_order(etc, steps)?);
    // Within a pass the definition states no order.
    let same =
        found == literal || kind == MappingKind::SufferagePasses && found.resources() == literal.resources();
    ensure!(same, "{kind}: not by its definition: {found:?}, but {literal:?}");
    Ok(())
}
