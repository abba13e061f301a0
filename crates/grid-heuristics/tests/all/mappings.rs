//! The family of mapping heuristics: each is compared with the checks of the testkit, with its literal definition, and
//! with its immediate mode if it has one.

use super::definitions;
use crate::judge::{Verdict, ensure, family, of};
use econsched::grid_heuristics::{Mapping, MappingKind};
use econsched::sched_model::EtcMatrix;
use econsched::testkit::{self, Seen};

family!(Mappings: EtcMatrix, testkit::etc, judge);

fn judge(etc: &EtcMatrix) -> Verdict<Seen> {
    let mut seen = Seen::default();
    for &kind in MappingKind::ALL {
        let heuristic = kind.build();
        seen += of(&kind, testkit::mapping(heuristic.as_ref()).judge(etc))?;
        follows(kind, etc)?;
        let Some(mut immediate) = kind.build_immediate() else { continue };
        let (mut loads, batch) = (etc.ready().collect::<Vec<_>>(), heuristic.map(etc)?);
        for task in 0..etc.rows() {
            let resource = batch.resources[task];
            let alone = immediate.choose(&etc[task], &loads);
            ensure!(alone == Some(resource), "{kind}: task {task} on {resource}, alone on {alone:?}");
            loads[resource] = batch.finishes[task];
        }
    }
    Ok(seen)
}

/// The mapping of a heuristic is that of its definition, where that is written.
fn follows(kind: MappingKind, etc: &EtcMatrix) -> Verdict {
    let Some(steps) = definitions::mapping(kind, etc) else { return Ok(()) };
    let (found, literal) = (kind.build().map(etc)?, Mapping::from_order(etc, steps)?);
    // Within a pass the definition states no order.
    let same =
        found == literal || kind == MappingKind::SufferagePasses && found.resources == literal.resources;
    ensure!(same, "{kind}: not by its definition: {found:?}, but {literal:?}");
    Ok(())
}
