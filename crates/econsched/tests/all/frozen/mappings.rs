//! The heuristics on matrices of expected times.

use super::compare;
use super::draw::{Draw, NUMBERS};
use econsched::grid_heuristics::MappingKind;
use econsched::sched_model::EtcMatrix;

#[test]
fn mappings_are_frozen() {
    let mut rows = Vec::new();
    for (size, (tasks, machines)) in [(7, 2), (40, 5), (300, 16)].into_iter().enumerate() {
        for (structure, numbers) in NUMBERS.into_iter().enumerate() {
            for consistent in [false, true] {
                let mut draw = Draw(2000 + 10 * size as u64 + structure as u64);
                let times: Vec<Vec<f64>> = (0..tasks)
                    .map(|_| {
                        let task = draw.number(numbers, 1.0, 300.0);
                        let mut row: Vec<f64> =
                            (0..machines).map(|_| task * draw.number(numbers, 1.0, 9.0)).collect();
                        if consistent {
                            row.sort_by(f64::total_cmp);
                        }
                        row
                    })
                    .collect();
                let etc = EtcMatrix::from_rows(&times).unwrap();
                let mut row = format!("{tasks} x {machines}; {numbers:?}; consistent {consistent}");
                for kind in MappingKind::ALL {
                    let mapping = kind.build().map(&etc).unwrap();
                    // The machines, as a checksum (FNV-1a).
                    let sum = mapping.resources().iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, &machine| {
                        (sum ^ machine as u64).wrapping_mul(0x100_0000_01b3)
                    });
                    row +=
                        &format!("; {kind} {:?} {sum:016x}", mapping.makespan().map_or(0.0, |end| end.get()));
                }
                rows.push(row);
            }
        }
    }
    compare("mappings.csv", &rows);
}
