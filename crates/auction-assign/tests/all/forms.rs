//! One matrix in all forms that costs may take gives one answer.

use crate::oracle::{Rng, families};
use auction_assign::{AssignError, AssignerKind, Costs, Coverage, Problem, Sense, verify_answer};

#[test]
fn every_form_of_one_matrix_has_one_answer() {
    let mut rng = Rng(71);
    for round in 0..60 {
        let (n, m) = (1 + rng.below(20) as usize, 1 + rng.below(30) as usize);
        let mut values: Vec<f64> =
            families(&mut rng, round, n, m).iter().map(|value| value.rem_euclid(16_777_216.0)).collect();
        if round % 3 == 0 {
            values.iter_mut().filter(|_| rng.below(5) == 0).for_each(|value| *value = f64::INFINITY);
        }
        let narrow: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        let whole = |value: &f64| if *value == f64::INFINITY { i32::MAX } else { *value as i32 };
        let whole: Vec<i32> = values.iter().map(whole).collect();
        let wide = |value: &f64| if *value == f64::INFINITY { i64::MAX } else { *value as i64 };
        let wide: Vec<i64> = values.iter().map(wide).collect();
        let stride = m + rng.below(4) as usize;
        // What stands between the rows is no cost.
        let spaced: Vec<f64> = values
            .chunks(m)
            .flat_map(|row| row.iter().copied().chain([f64::NAN; 3].into_iter().take(stride - m)))
            .collect();
        let forms = [
            Costs::matrix(n, m, &narrow).unwrap(),
            Costs::matrix(n, m, &whole).unwrap(),
            Costs::matrix(n, m, &wide).unwrap(),
            Costs::strided(n, m, stride, &spaced).unwrap(),
            Costs::strided(n, m, stride, &spaced[..(n - 1) * stride + m]).unwrap(),
        ];
        let coverage =
            [Coverage::EveryJob, Coverage::MostJobs, Coverage::Optional { unplaced: 5e5 }][round % 3];
        let sense = [Sense::Minimise, Sense::Maximise][round % 2];
        let stated = |costs| Problem::new(costs).with_coverage(coverage).with_sense(sense);
        let dense = stated(Costs::dense(n, m, &values).unwrap());
        for &kind in AssignerKind::ALL {
            let method = kind.build();
            let Ok(expected) = method.assign(&dense) else { continue };
            for costs in forms {
                let found = method.assign(&stated(costs)).unwrap();
                if kind != AssignerKind::Greedy {
                    verify_answer(&dense, &found, 0.0).unwrap();
                }
                let total = |answer: &auction_assign::Answer| answer.assignment().map(|found| found.total);
                assert_eq!(total(&found), total(&expected), "{kind}, round {round}, {costs:?}");
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    assert_eq!(Costs::strided(2, 3, 2, &[0.0; 6]).unwrap_err(), AssignError::Stride { stride: 2, cols: 3 });
    assert_eq!(
        Costs::strided(2, 3, 4, &[0.0; 6]).unwrap_err(),
        AssignError::Shape { rows: 2, cols: 3, values: 6 }
    );
    assert!(Costs::strided(2, 3, usize::MAX, &[0.0; 6]).is_err());
    assert!(Costs::strided(0, 3, 3, &[0.0; 0]).is_ok());
    let odd = (1i64 << 53) + 1;
    let error = Costs::matrix(1, 2, &[1i64, odd]).unwrap_err();
    assert!(matches!(error, AssignError::Inexact { job: 0, resource: 1, .. }), "{error}");
    assert!(Costs::matrix(1, 2, &[i64::MIN, 1 << 60]).is_ok());
}

#[test]
fn more_rows_than_can_be_counted_are_refused_at_once() {
    let too_large = AssignError::TooLarge { rows: usize::MAX, cols: 0 };
    assert_eq!(Costs::matrix::<i64>(usize::MAX, 0, &[]).unwrap_err(), too_large);
    assert_eq!(Costs::strided::<i64>(usize::MAX, 0, 0, &[]).unwrap_err(), too_large);
}
