//! Makespans of three public 512 x 16 matrices (T. D. Braun et al., 2001), ties to the lowest index.

use grid_heuristics::MappingKind;
use sched_model::EtcMatrix;
use std::path::Path;

/// "rows cols ready", then the values task by task.
fn matrix(name: &str) -> Option<EtcMatrix> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/etc").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return None;
    };
    let mut words = text.split_whitespace();
    let mut count = || words.next().unwrap().parse::<usize>().unwrap();
    let (rows, cols, _) = (count(), count(), count());
    Some(EtcMatrix::new(rows, cols, words.map(|word| word.parse().unwrap()).collect()).unwrap())
}

const KINDS: [MappingKind; 7] = [
    MappingKind::MinMin,
    MappingKind::MaxMin,
    MappingKind::Sufferage,
    MappingKind::SufferagePasses,
    MappingKind::Mct,
    MappingKind::Met,
    MappingKind::Olb,
];

#[test]
fn makespans_of_public_matrices() {
    #[rustfmt::skip]
    let expected = [
        ("u_c_hihi.0", [8460675.003, 12385671.828, 10249172.885, 10908697.837, 11422624.494, 47472299.430, 14376662.176]),
        ("u_i_lolo.0", [2785.645, 5177.709, 2639.318, 2673.829, 3137.350, 3399.285, 8938.027]),
        ("u_s_hilo.0", [104375.164, 172822.698, 102499.893, 103400.813, 126587.591, 605363.773, 250362.114]),
    ];
    for (name, makespans) in expected {
        let Some(etc) = matrix(name) else { continue };
        for (kind, makespan) in KINDS.iter().zip(makespans) {
            let found = kind.build().map(&etc).unwrap().makespan().unwrap().get();
            assert_eq!(format!("{found:.3}"), format!("{makespan:.3}"), "{kind} on {name}");
        }
    }
}

/// The same heuristics on a matrix small enough for paper and pencil.
#[test]
fn a_matrix_by_hand() {
    let etc = EtcMatrix::from_rows(&[
        [6.0, 7.0, 12.0],
        [2.0, 5.0, 9.0],
        [3.0, 1.0, 4.0],
        [8.0, 9.0, 3.0],
        [5.0, 2.0, 6.0],
    ])
    .unwrap();
    let resources = |kind: MappingKind| kind.build().map(&etc).unwrap().resources().to_vec();
    // Loads of MCT: (6,0,0) (6,5,0) (6,5,4) (6,5,7) (6,7,7).
    assert_eq!(resources(MappingKind::Mct), [0, 1, 2, 2, 1]);
    assert_eq!(resources(MappingKind::Met), [0, 0, 1, 2, 1]);
    // Ready: (6,0,0) (6,5,0) (6,5,4) (6,5,7) (6,7,7).
    assert_eq!(resources(MappingKind::Olb), [0, 1, 2, 2, 1]);
    // Task 2 at 1 on 1; task 1 at 2 on 0; tasks 3 (on 2) and 4 (on 1) at 3; task 0 at 8 on 0.
    assert_eq!(resources(MappingKind::MinMin), [0, 0, 1, 2, 1]);
    // Task 0 at 6 on 0; task 1 at 5 on 1; task 4 at 6 on 2 (7 on 1); task 3 at 9 on 2; task 2 at 6 on 1.
    assert_eq!(resources(MappingKind::MaxMin), [0, 1, 1, 2, 2]);
    // Sufferages 1 3 2 5 3: task 3 to 2. Then 1 3 2 3: task 1 to 0. Then task 0 8 against 7: 1; task 2: 5
    // against 1: 4; task 4: 7 against 2: 5, to 1. Then task 0: 8 against 9: 1; task 2: 3 on 1 against 5: 2,
    // to 1. Task 0: 8 on 0.
    assert_eq!(resources(MappingKind::Sufferage), [0, 0, 1, 2, 1]);
    // A fifth of three resources is one: MET. Sums 25 16 8 20 13: tasks 0 3 1 4 2.
    assert_eq!(resources(MappingKind::Kpb), [0, 0, 1, 2, 1]);
    // Task 0 at 6 on 0; 3 at 3 on 2; 1 at 5 on 1; 4 at 7 on 1; 2 at 7 on 2.
    assert_eq!(resources(MappingKind::Fpltf), [0, 1, 2, 2, 1]);
    // Makespans 8 and 9.
    assert_eq!(resources(MappingKind::Duplex), resources(MappingKind::MinMin));
}
