//! The collection of problems of every structure.

use super::generator::{AssignmentGenerator, Places};
use super::structure::CostStructure;

/// Problems of every structure with about this many jobs: one to one, rectangular, sparse, and with capacities.
pub fn zoo(jobs: usize) -> Vec<AssignmentGenerator> {
    use CostStructure as C;
    let n = jobs.max(2);
    let mut zoo: Vec<_> = C::ALL.iter().map(|&structure| AssignmentGenerator::new(n, n, structure)).collect();
    for structure in [
        C::Wide,
        C::Narrow,
        C::GridTime,
        C::LowRank,
        C::Distance,
        C::SquaredDistance,
        C::SumAndNoise,
        C::Overlap,
    ] {
        zoo.push(AssignmentGenerator::new(n, n, structure).with_real_costs());
    }
    // Rectangular: a tenth more resources than jobs, four times as many, a hundred times as many.
    for structure in [C::Wide, C::Narrow, C::GridTime, C::Distance, C::ZeroOne, C::PopularColumns] {
        zoo.push(AssignmentGenerator::new(n, n + n.div_ceil(10), structure));
        zoo.push(AssignmentGenerator::new(n.div_ceil(2), n.div_ceil(2) * 4, structure));
        zoo.push(AssignmentGenerator::new(n.div_ceil(10), n.div_ceil(10) * 100, structure));
    }
    // More jobs than resources: twice as many, twenty times as many.
    for structure in [C::Wide, C::Narrow, C::GridTime, C::Distance] {
        zoo.push(AssignmentGenerator::new(n, n.div_ceil(2), structure));
        zoo.push(AssignmentGenerator::new(n, n.div_ceil(20), structure));
    }
    for (structure, admissible) in
        [(C::Wide, 8), (C::Narrow, 8), (C::GridTime, 20), (C::Distance, 20), (C::Wide, 3)]
    {
        zoo.push(AssignmentGenerator::new(n, n, structure).with_admissible(admissible.min(n)));
    }
    // Many jobs on few resources.
    let places = [Places::Short, Places::Tight, Places::Slack, Places::Mixed, Places::FewHuge];
    for (jobs, resources) in [(10 * n, n.div_ceil(50)), (4 * n, n.div_ceil(10))] {
        for structure in [C::Wide, C::GridTime, C::GridTimeFewKinds, C::ClusteredDistance, C::FewOffsets] {
            for places in places {
                zoo.push(AssignmentGenerator::new(jobs, resources, structure).with_places(places));
            }
        }
    }
    for structure in [C::Wide, C::GridTime, C::Circulant] {
        for places in places {
            let generator = AssignmentGenerator::new(10 * n, n.div_ceil(2), structure);
            zoo.push(generator.with_places(places).with_admissible(50.min(n.div_ceil(2))));
        }
    }
    zoo
}
