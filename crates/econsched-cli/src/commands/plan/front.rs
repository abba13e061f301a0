//! The front: every undominated (cost, run time) of the batch.

use super::planned::Plan;
use crate::draw::charts;
use crate::error::CliError;
use crate::input::scenario::Scenario;
use crate::output::files;
use crate::output::terminal::{Columns, counted, number};
use econsched::batch_dp::Point;
use econsched_studies::chart::Lines;

/// The greatest number of rows of the table, not counting the last point and the chosen one.
const ROWS: usize = 20;

/// The front in a table: evenly spread points, the last point, and the choice, which need not be on the front
/// where the greatest income is chosen.
pub(super) fn text(scenario: &Scenario, points: &[Point], chosen: Point) -> String {
    let step = points.len().div_ceil(ROWS).max(1);
    let mut table = Columns::new(&["sum of costs", "sum of runtimes", ""]);
    let mut row = |point: &Point| {
        let mark = if *point == chosen { "chosen" } else { "" };
        let cost = number(scenario.money(point.cost));
        table.row([cost.as_str(), number(point.time).as_str(), mark]);
    };
    let after = points.partition_point(|point| point.cost < chosen.cost);
    for (at, point) in points.iter().enumerate() {
        if at == after && *point != chosen {
            row(&chosen);
        }
        if at % step == 0 || at + 1 == points.len() || *point == chosen {
            row(point);
        }
    }
    if after == points.len() {
        row(&chosen);
    }
    format!("front: {}\n{}", counted(points.len(), "undominated combination"), table.render())
}

pub(super) fn csv(scenario: &Scenario, points: &[Point], chosen: Point) -> Result<String, CliError> {
    files::table(
        points,
        &[
            ("cost", &|point| scenario.money(point.cost).to_string()),
            ("runtime", &|point| point.time.to_string()),
            ("chosen", &|point| u8::from(**point == chosen).to_string()),
        ],
    )
}

/// Every point with its figures, and the choice.
pub(super) fn svg(scenario: &Scenario, plan: &Plan, points: &[Point]) -> Result<String, CliError> {
    let place = |point: &Point| (scenario.money(point.cost), point.time);
    let title = format!("{} · {}", plan.search, plan.choice);
    let chart = Lines::new(title, "sum of costs", "sum of runtimes")
        .with_series("undominated", points.iter().map(place))
        .with_series("chosen", [place(&plan.chosen())]);
    charts::points(&chart).map_err(CliError::fault)
}
