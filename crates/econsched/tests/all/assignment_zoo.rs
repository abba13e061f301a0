//! Every assignment method on every problem of the zoo, by the verifier.

#![cfg(all(feature = "auction-assign", feature = "workload-gen", feature = "testkit"))]

use crate::instance::problem;
use econsched::auction_assign::{
    AssignError, Assigner, AssignerKind, Automatic, Coverage, Problem, ShortestPaths, verify_answer,
    verify_shortage,
};
use econsched::sched_model::Proof;
use econsched::testkit::zoo::zoo;
use econsched::workload_gen::sample::stream;

/// The total of a method, its proof verified; `None` where not all jobs can be placed, which is verified too.
fn total(method: &dyn Assigner, problem: &Problem<'_>, name: &str) -> Result<Option<f64>, AssignError> {
    let answer = method.assign(problem)?;
    if let Some(shortage) = answer.shortage() {
        verify_shortage(problem, shortage)
            .unwrap_or_else(|flaw| panic!("{}: {flaw} on {name}", method.name()));
        return Ok(None);
    }
    assert_eq!(answer.proof(), Some(Proof::Exact), "{} on {name}", method.name());
    let certificate = verify_answer(problem, &answer, 0.0);
    let certificate = certificate.unwrap_or_else(|flaw| panic!("{}: {flaw} on {name}", method.name()));
    Ok(certificate.map(|certificate| certificate.total))
}

#[test]
fn every_method_is_exact_on_every_structure() {
    for (number, generator) in zoo(24).iter().enumerate() {
        let instance = generator.generate(&mut stream(number as u64, 1));
        for coverage in [Coverage::EveryJob, Coverage::MostJobs, Coverage::Optional { unplaced: 1000.0 }] {
            let problem = problem(&instance, coverage);
            let name = format!("{} {coverage:?}", generator.name());
            let expected = total(&ShortestPaths, &problem, &name).unwrap();
            for &kind in AssignerKind::ALL.iter().filter(|&&kind| kind != AssignerKind::Greedy) {
                match total(&*kind.build(), &problem, &name) {
                    // Sums in doubles may differ by rounding between assignments of one exact sum.
                    Ok(found) => match (found, expected) {
                        (Some(found), Some(expected)) => {
                            assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{kind} on {name}");
                        }
                        (found, expected) => assert_eq!(found, expected, "{kind} on {name}"),
                    },
                    Err(error) => {
                        assert!(matches!(error, AssignError::Unsupported { .. }), "{kind}: {error}")
                    }
                }
            }
        }
    }
}

/// Sizes at which lists are shorter than rows, and methods hand over to others.
#[test]
fn the_automatic_choice_is_exact_on_larger_problems() {
    for (number, generator) in zoo(150).iter().enumerate() {
        let instance = generator.generate(&mut stream(number as u64, 2));
        let problem = problem(&instance, Coverage::MostJobs);
        assert!(total(&Automatic, &problem, &generator.name()).unwrap().is_some());
    }
}
