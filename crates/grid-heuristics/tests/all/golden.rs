//! The makespans of the heuristics on three public 512 x 16 matrices (T. D. Braun et al., 2001); ties go to the lowest
//! index.

use grid_heuristics::{MappingHeuristic, MappingKind};
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

#[test]
fn makespans_of_public_matrices() {
    let matrices = ["u_c_hihi.0", "u_i_lolo.0", "u_s_hilo.0"].map(matrix);
    for (kind, makespans) in [
        (MappingKind::MinMin, ["8460675.003", "2785.645", "104375.164"]),
        (MappingKind::MaxMin, ["12385671.828", "5177.709", "172822.698"]),
        (MappingKind::Sufferage, ["10249172.885", "2639.318", "102499.893"]),
        (MappingKind::SufferagePasses, ["10908697.837", "2673.829", "103400.813"]),
        (MappingKind::Mct, ["11422624.494", "3137.350", "126587.591"]),
        (MappingKind::Met, ["47472299.430", "3399.285", "605363.773"]),
        (MappingKind::Olb, ["14376662.176", "8938.027", "250362.114"]),
    ] {
        for (etc, makespan) in matrices.iter().zip(makespans) {
            let Some(etc) = etc else { continue };
            let found = kind.map(etc).unwrap().makespan().unwrap().get();
            assert_eq!(format!("{found:.3}"), makespan, "{kind}");
        }
    }
}
