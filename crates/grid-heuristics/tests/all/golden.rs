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
