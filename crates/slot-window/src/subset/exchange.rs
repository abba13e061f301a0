//! The search by exchanges: differences between a better subset and the subset of the relaxation.
//!
//! The n items of maximum reduced value z - l c have a cost near the budget, and give an upper bound on the value.
//! Any other subset removes some of them and adds as many others; each of these changes loses reduced value, and so
//! does an unused part of the budget. A subset that is better than the best so far loses less than the gap between
//! bound and incumbent. So all removals and all additions that lose less are listed, by number of items, and matched:
//! each entry of the longer list with those entries of the shorter one that have as many items, that the budget
//! allows, and that may be valuable enough. The lists are far shorter than the list of all subsets near the bound,
//! which are pairs of entries, and which a tree search would have to try.
//!
//! Source: matching two lists is due to E. Horowitz and S. Sahni, *Computing Partitions with Applications to
//! the Knapsack Problem*, 1974; splitting at the subset of the relaxation, with a limit of losses, is not
//! from that source.

use super::{
    incumbent::Incumbent,
    relax::{Keyed, Multiplier, Problem},
};
use sched_model::internal::sort;
use sched_model::{End, Meter};

/// An item that an exchange may move to the other side.
#[derive(Debug, Clone, Copy)]
struct Open {
    loss: f64,
    /// The value and cost that this adds: negative for a removal.
    value: f64,
    cost: f64,
    index: u32,
}

/// One half of an exchange: items that move to the other side together, with the value and cost that this adds.
#[derive(Debug, Clone, Copy)]
struct Part {
    loss: f64,
    value: f64,
    cost: f64,
    /// The position of its last item in `open`.
    last: u32,
    /// The number of the part without that item.
    before: u32,
}

/// One side of the exchanges: the removals or the additions.
#[derive(Debug, Default)]
struct Side {
    /// The items that may move, the smallest loss first.
    open: Vec<Open>,
    /// The minimum loss of j items, at j.
    min_losses: Vec<f64>,
    /// The parts, in order of their number of items.
    parts: Vec<Part>,
    /// The position at which the parts of j items begin, at j.
    starts: Vec<usize>,
}

impl Side {
    /// Opens the items whose key differs from `edge` by a loss of at most `gap`; `sign` is -1 for removals, 1 for
    /// additions.
    fn open(&mut self, items: &[Keyed], edge: f64, sign: f64, gap: f64) {
        self.open.clear();
        self.open.extend(items.iter().filter_map(|item| {
            let loss = sign * (edge - item.key);
            let (value, cost) = (sign * item.value, sign * item.cost);
            (loss <= gap).then_some(Open { loss, value, cost, index: item.index })
        }));
        sort(&mut self.open, &|a, b| a.loss.total_cmp(&b.loss).then(a.index.cmp(&b.index)));
        self.min_losses.clear();
        let mut sum = 0.0;
        self.min_losses.push(sum);
        for open in &self.open {
            sum += open.loss;
            if sum > gap {
                break;
            }
            self.min_losses.push(sum);
        }
    }

    /// Lists the parts whose loss, with the minimum loss in `min_losses` of as many items of the other side, is at most
    /// `gap`. Returns false if there are more than `room`; then all parts of the number of items that was reached, or
    /// of more, are left out.
    fn list(&mut self, min_losses: &[f64], gap: f64, room: usize, meter: &mut Meter) -> Result<bool, End> {
        let Self { open, parts, starts, .. } = self;
        parts.clear();
        parts.push(Part { loss: 0.0, value: 0.0, cost: 0.0, last: u32::MAX, before: 0 });
        starts.clear();
        starts.extend([0, 1]);
        for (count, &other) in min_losses.iter().enumerate().skip(1) {
            let allowed = gap - other;
            meter.spend((starts[count] - starts[count - 1]) as u64)?;
            let mut paid = parts.len();
            for number in starts[count - 1]..starts[count] {
                let part = parts[number];
                for (position, item) in open.iter().enumerate().skip(part.last.wrapping_add(1) as usize) {
                    let loss = part.loss + item.loss;
                    if loss > allowed {
                        break;
                    }
                    let (value, cost) = (part.value + item.value, part.cost + item.cost);
                    parts.push(Part { loss, value, cost, last: position as u32, before: number as u32 });
                }
                if parts.len() > room {
                    parts.truncate(starts[count]);
                    return Ok(false);
                }
                if parts.len() - paid >= PARTS_PER_CHARGE {
                    meter.spend((parts.len() - paid) as u64)?;
                    meter.reserve_items::<Part>(parts.len() - paid)?;
                    paid = parts.len();
                }
            }
            meter.spend((parts.len() - paid) as u64)?;
            starts.push(parts.len());
        }
        Ok(true)
    }

    /// The positions of the parts of `count` items.
    fn of_count(&self, count: usize) -> std::ops::Range<usize> {
        match (self.starts.get(count), self.starts.get(count + 1)) {
            (Some(&from), Some(&to)) => from..to,
            _ => 0..0,
        }
    }

    /// The indices of the items of a part.
    fn items(&self, part: usize) -> impl Iterator<Item = u32> {
        let mut number = part;
        std::iter::from_fn(move || {
            let part = self.parts.get(number).filter(|_| number > 0)?;
            number = part.before as usize;
            Some(self.open[part.last as usize].index)
        })
    }
}

/// A part of the shorter list, which is sorted by cost, so that parts of the longer one find their partners in it.
#[derive(Debug, Clone, Copy)]
struct Partner {
    cost: f64,
    value: f64,
    /// The maximum value of the partners up to this one.
    max_value: f64,
    part: usize,
}

/// The memory of the search.
#[derive(Debug, Default)]
pub(crate) struct Exchanges {
    removals: Side,
    additions: Side,
    partners: Vec<Partner>,
    removed: Vec<u32>,
}

/// The number of parts that are listed before the meter is charged for them and their memory.
const PARTS_PER_CHARGE: usize = 1 << 17;

/// With at most this number of open items, the whole gap is searched at once.
const FEW_OPEN: usize = 12;

/// The factor by which the gap grows from round to round: the lists grow by about its fourth power.
const GROWTH: f64 = 2.0;

impl Exchanges {
    /// Searches for better subsets with at most `room` parts on a side and as many trials. Returns whether it was
    /// completed. Lowers the bound `proven` on the way.
    pub(crate) fn search(
        &mut self,
        problem: &Problem<'_>,
        best: &mut Incumbent,
        proven: &mut f64,
        room: usize,
        meter: &mut Meter,
    ) -> Result<bool, End> {
        let Multiplier { bound, margin, .. } = problem.multiplier;
        let Problem { inside, outside, .. } = *problem;
        let worst_inside = inside.iter().fold(f64::INFINITY, |worst, item| worst.min(item.key));
        let whole = |best: &Incumbent| bound - best.needed(&problem.instance) + 4.0 * margin;
        let count_open = |gap: f64| {
            let inside = inside.iter().filter(|item| item.key - worst_inside <= gap).count();
            inside + outside.iter().filter(|item| worst_inside - item.key <= gap).count()
        };
        // Usually a fraction of the gap suffices to find a subset that makes the rest unnecessary.
        let mut gap = whole(best);
        let mut rounds = 0;
        while rounds < 16 && count_open(gap) > FEW_OPEN {
            gap /= 2.0;
            rounds += 1;
        }
        loop {
            self.removals.open(inside, worst_inside, -1.0, gap);
            self.additions.open(outside, worst_inside, 1.0, gap);
            let all = meter.scratch(|meter| {
                let all_removals = self.removals.list(&self.additions.min_losses, gap, room, meter)?;
                let all_additions = self.additions.list(&self.removals.min_losses, gap, room, meter)?;
                // The listed parts may improve the incumbent, even if they are not all.
                Ok(self.try_exchanges(problem, best, room, meter)? && all_removals && all_additions)
            })?;
            let is_near =
                |best: &Incumbent, proven: f64| best.found && meter.limit().gap_closed(best.value, proven);
            if !all {
                return if is_near(best, *proven) { Err(End::Gap) } else { Ok(false) };
            }
            let left = whole(best);
            if left <= gap {
                return Ok(true);
            }
            // Exchanges that were not listed lose more than the gap.
            *proven = proven.min(bound - gap + 4.0 * margin);
            if is_near(best, *proven) {
                return Err(End::Gap);
            }
            gap = left.min(GROWTH * gap);
        }
    }

    /// Offers the exchanges of listed parts that are affordable and may reach the needed value. Returns false if
    /// there are more than `room` of them.
    fn try_exchanges(
        &mut self,
        problem: &Problem<'_>,
        best: &mut Incumbent,
        room: usize,
        meter: &mut Meter,
    ) -> Result<bool, End> {
        let Self { removals, additions, partners, removed } = self;
        let Problem { instance, inside, .. } = *problem;
        let (value, cost) =
            inside.iter().fold((0.0, 0.0), |sum, item| (sum.0 + item.value, sum.1 + item.cost));
        let slack = (instance.budget - cost) + problem.cost_margin(cost);
        let doubt = 2.0 * problem.multiplier.margin;
        let mut trials = room;
        for count in 0.. {
            // The shorter list is sorted; the parts of the longer one look up their partners in it.
            let swapped = removals.of_count(count).len() < additions.of_count(count).len();
            let (long, short) = if swapped { (&*additions, &*removals) } else { (&*removals, &*additions) };
            meter.spend((long.of_count(count).len() + short.of_count(count).len()) as u64)?;
            list_partners(short, count, partners);
            if partners.is_empty() {
                break;
            }
            for number in long.of_count(count) {
                let part = long.parts[number];
                let others = value + part.value;
                let affordable = partners.partition_point(|partner| partner.cost <= slack - part.cost);
                for partner in partners[..affordable].iter().rev() {
                    let threshold = best.needed(&instance) - doubt;
                    if others + partner.max_value < threshold {
                        break;
                    }
                    if others + partner.value < threshold {
                        continue;
                    }
                    if trials == 0 {
                        return Ok(false);
                    }
                    trials -= 1;
                    meter.spend(instance.n as u64)?;
                    let (out, into) = if swapped { (partner.part, number) } else { (number, partner.part) };
                    removed.clear();
                    removed.extend(removals.items(out));
                    let stays = inside.iter().map(|item| item.index).filter(|index| !removed.contains(index));
                    best.offer(&instance, stays.chain(additions.items(into)));
                }
            }
        }
        Ok(true)
    }
}

/// Lists the parts of `count` items as partners, in order of cost.
fn list_partners(side: &Side, count: usize, partners: &mut Vec<Partner>) {
    partners.clear();
    partners.extend(side.of_count(count).map(|part| {
        let Part { cost, value, .. } = side.parts[part];
        Partner { cost, value, max_value: value, part }
    }));
    sort(partners, &|a, b| a.cost.total_cmp(&b.cost).then(a.part.cmp(&b.part)));
    for at in 1..partners.len() {
        partners[at].max_value = partners[at].max_value.max(partners[at - 1].max_value);
    }
}
