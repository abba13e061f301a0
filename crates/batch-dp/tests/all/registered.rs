//! Every chooser, by the family of the testkit.

use crate::judge::{Verdict, ensure, family, of, part};
use econsched::batch_dp::{Alternatives, ChoiceProblem, ChooserKind, Goal};
use econsched::sched_model::{End, Limit};
use econsched::testkit::{self, ChoiceCase, Seen};

family!(Choosers: ChoiceCase, ChoiceCase::draw, choosers);

fn choosers(case: &ChoiceCase) -> Verdict<Seen> {
    let mut seen = Seen::default();
    for &kind in ChooserKind::ALL {
        seen += of(&kind, testkit::chooser(kind.build().as_ref()).with_exactness().judge(case))?;
    }
    let batch = part(Alternatives::new(&case.jobs))?;
    // Where there are too many to try all, those that prove their choices agree.
    let problem = ChoiceProblem::new(&batch, Goal::MinTime { budget: case.budget });
    let mut known: Option<f64> = None;
    for &kind in ChooserKind::ALL {
        // A refusal because of size is an answer.
        let limit = Limit::default().with_work(2_000_000);
        let Ok(outcome) = kind.build().solve(&problem, &mut limit.meter()) else { continue };
        if let (End::Done, Some(value)) = (outcome.end, outcome.value) {
            ensure!(*known.get_or_insert(value) == value, "{kind}: exact at {value}, others at {known:?}");
        }
    }
    Ok(seen)
}
