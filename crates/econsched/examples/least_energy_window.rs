//! The window of minimum energy among all windows within budget and deadline, compared with the cheapest and the
//! earliest window.

use econsched::prelude::*;
use econsched::sched_model::Sense;
use econsched::slot_window::{MaxValue, Objective, Optimal};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Six nodes; faster nodes have higher prices. The two fastest are busy at first.
    let nodes = [(1, 1.0, 1.0), (2, 1.0, 1.2), (3, 1.5, 1.9), (4, 2.0, 2.9), (5, 2.5, 3.8), (6, 3.0, 4.9)];
    let nodes = nodes.map(|(id, speed, price)| Node::must(id, speed, price));
    let busy = [Occupied::must(5, 0.0, 50.0), Occupied::must(6, 0.0, 40.0)];
    let slots = SlotList::from_nodes(&nodes, &busy, Time::ZERO, Time::must(300.0))?;
    let request =
        ResourceRequest::must(3, 120.0).with_budget(Money::must(900.0)).with_deadline(Time::must(150.0));

    // The power of a CPU is a constant plus a part that grows with the cube of its speed, for as long as the CPU
    // is held.
    let energy = |speed: Speed, held: Span| (14.0 + speed.get().powi(3)) * held.get();
    let least_energy =
        MaxValue::new(move |slot: &Slot, held| energy(slot.speed, held)).with_sense(Sense::Minimise);
    let searches: [(&str, &dyn WindowSearch); 4] = [
        ("first", &Optimal::new(Objective::Start)),
        ("cheapest", &Optimal::new(Objective::Cost)),
        ("shortest", &Optimal::new(Objective::Runtime)),
        ("least energy", &least_energy),
    ];
    println!("{:>12} {:>7} {:>7} {:>7} {:>8}  nodes", "", "start", "finish", "cost", "energy");
    for (name, search) in searches {
        let window = search.find(&WindowQuery::new(&slots, &request))?.solution()?;
        let speed = |id| nodes.iter().find(|node| node.id == id).map_or(Speed::ETALON, |node| node.speed);
        let energies =
            window.placements().iter().map(|held| energy(speed(held.node), held.end - window.start()));
        let ids: Vec<u32> = window.placements().iter().map(|placement| placement.node.0).collect();
        println!(
            "{name:>12} {:>7.1} {:>7.1} {:>7.1} {:>8.1}  {ids:?}",
            window.start().get(),
            window.finish().get(),
            window.cost().get(),
            energies.sum::<f64>(),
        );
        assert!(Checker::new(&slots, search.rules()).window(&window, &request).is_empty());
    }
    Ok(())
}
