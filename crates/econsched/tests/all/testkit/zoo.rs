//! The zoo of assignments has the shapes that it says.
#![cfg(feature = "workload-gen")]

use econsched::testkit::zoo::{AssignmentGenerator, CostStructure, Places, zoo};
use econsched::workload_gen::sample::stream;

#[test]
fn the_zoo_has_the_shapes_it_says_and_one_seed_one_instance() {
    let zoo = zoo(40);
    assert!(zoo.len() >= 90, "{}", zoo.len());
    for generator in &zoo {
        let instance = generator.generate(&mut stream(3, 0));
        assert_eq!(instance, generator.generate(&mut stream(3, 0)));
        assert_eq!(instance.capacities.len(), instance.resources);
        assert!(instance.values.iter().all(|value| (0.0..1e13).contains(value)), "{}", generator.name());
        assert_eq!(generator.real, instance.values.iter().any(|value| value.fract() != 0.0));
        if instance.is_sparse() {
            assert_eq!(instance.offsets.len(), instance.jobs + 1);
            assert_eq!(instance.offsets[instance.jobs], instance.values.len());
        } else {
            assert_eq!(instance.values.len(), instance.jobs * instance.resources);
        }
        assert_eq!(
            instance.has_places_for_all(),
            generator.places != Places::Short
                && (generator.places != Places::One || generator.jobs <= generator.resources),
            "{}",
            generator.name()
        );
    }
}

#[test]
fn structures_are_what_they_are_called() {
    let draw = |structure| AssignmentGenerator::new(100, 100, structure).generate(&mut stream(1, 0)).values;
    let repeated = draw(CostStructure::RepeatedRows);
    assert_eq!(repeated[..100], repeated[4900..5000]);
    assert_ne!(repeated[..100], repeated[5000..5100]);
    let columns = draw(CostStructure::RepeatedColumns);
    assert!(columns.chunks(100).all(|row| row[0] == row[49] && row[0] != row[50]));
    let zeros = draw(CostStructure::ZeroOne).iter().filter(|&&value| value == 0.0).count();
    assert!((200..400).contains(&zeros), "{zeros}");
    let chain = draw(CostStructure::Chain);
    assert!((0..99).all(|i| chain[i * 100 + i] == 1000.0 && chain[i * 100 + i + 1] == 999.0));
    let circulant = draw(CostStructure::Circulant);
    let ahead = |k: usize| ((100 + k % 100 - k / 100) % 100) as f64;
    assert!((0..10_000).all(|k| (circulant[k] / 1e3).floor() == ahead(k)));
    let popular = draw(CostStructure::PopularColumns);
    let free = |r: usize| (0..100).all(|i| popular[i * 100 + r] < 1e3);
    let dear = |r: usize| (0..100).all(|i| popular[i * 100 + r] >= 1e3);
    assert!((0..100).all(|r| free(r) || dear(r)) && (2..30).contains(&(0..100).filter(|&r| free(r)).count()));
    let edits = draw(CostStructure::EditDistance);
    let at = |values: &[f64], i: usize, r: usize| values[100 * i + r];
    assert!((0..50).all(|i| at(&edits, i, 50 + i) == 50.0 && at(&edits, 50 + i, i) == 50.0));
    assert_eq!((at(&edits, 3, 54), at(&edits, 54, 3), at(&edits, 50, 99)), (1e9, 1e9, 0.0));
    assert!((0..50).all(|i| (0..50).all(|r| (1.0..100.0).contains(&at(&edits, i, r)))));
    let divisors = draw(CostStructure::CommonDivisor);
    assert_eq!((at(&divisors, 11, 17), at(&divisors, 99, 74), at(&divisors, 6, 7)), (6.0, 25.0, 1.0));
    let near = draw(CostStructure::NearDiagonal);
    assert!(
        (0..10_000).all(|k| (0.0..100.0).contains(&(near[k] - (k / 100).abs_diff(k % 100).pow(2) as f64)))
    );
    // Each object is found again: near its old place, and beside few others.
    for (structure, far) in [(CostStructure::Overlap, 999_999.0), (CostStructure::Gated, 1e8)] {
        let moved = draw(structure);
        assert!((0..100).all(|i| at(&moved, i, (i * 7919 + 3) % 100) < far / 2.0), "{structure}");
        assert!(moved.iter().filter(|&&value| value >= far).count() > 9000, "{structure}");
    }
    assert!(draw(CostStructure::Lattice).iter().all(|&value| value <= 58.0));
    assert!(draw(CostStructure::DifferingBits).iter().all(|&value| value <= 24.0));
    assert!(
        draw(CostStructure::PowersOfTwo).iter().all(|&value| value.log2().fract() == 0.0 && value < 1e12)
    );
    let points = draw(CostStructure::RepeatedPoints);
    assert!(points[..100] == points[900..1000] && points[0] == points[9] && points[0] != points[10]);
    let late = draw(CostStructure::Tardiness);
    assert!(late.chunks(100).all(|row| row.is_sorted() && row[0] <= 10_000.0 && row[99] > 0.0));
    let shared = draw(CostStructure::SharedOrder);
    assert!((0..100).all(|r| (0..100).all(|i| (at(&shared, i, r) - at(&shared, 0, r)).abs() <= 2.0)));
    assert!(draw(CostStructure::Angle).iter().all(|value| (0.0..=2e6).contains(value)));
    let offsets = draw(CostStructure::FewOffsets);
    assert!(offsets.iter().all(|value| value % 100.0 < 10.0));
}
