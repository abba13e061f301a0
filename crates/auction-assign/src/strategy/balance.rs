//! Load balancing through the processors that sites offer.

use sched_model::order::order;

/// The processors of one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Processors {
    /// Free processors.
    pub free: u32,
    /// All processors that are up, free or not.
    pub live: u32,
}

/// The number of processors that each site offers, so that the free fractions are as equal as possible once
/// the offered processors are taken: each site keeps the fraction `level` of its processors free, or all free
/// ones if these are fewer (equation 17, soft).
///
/// A site offers `free - level * live`, at least 0, with one `level` for all sites, such that the offers sum
/// to the number of jobs, or to all free processors if there are more jobs. Fractions are rounded by largest
/// remainder, the lower index first. Free processors beyond `live` do not count. Time O(sites log sites).
///
/// ```
/// use auction_assign::strategy::{Processors, offered_processors};
/// let site = |free, live| Processors { free, live };
/// // 6 jobs: both sites keep 2 of 8 and 1 of 4 free.
/// assert_eq!(offered_processors(&[site(8, 8), site(1, 4)], 6), [6, 0]);
/// assert_eq!(offered_processors(&[site(8, 8), site(4, 4)], 6), [4, 2]);
/// assert_eq!(offered_processors(&[site(3, 8), site(4, 4)], 9), [3, 4]);
/// ```
pub fn offered_processors(sites: &[Processors], jobs: usize) -> Vec<u32> {
    let free = |site: &Processors| site.free.min(site.live);
    let total: u64 = sites.iter().map(|site| u64::from(free(site))).sum();
    let wanted = total.min(jobs as u64);
    let fraction = |r: usize| f64::from(free(&sites[r])) / f64::from(sites[r].live);
    let offering: Vec<usize> = (0..sites.len()).filter(|&r| free(&sites[r]) > 0).collect();
    let by = |key: &dyn Fn(usize) -> f64| {
        let order = order(offering.len(), &|a, b| key(offering[b]).total_cmp(&key(offering[a])));
        order.into_iter().map(|at| offering[at as usize]).collect::<Vec<usize>>()
    };
    let falling = by(&fraction);
    // The sites with the greatest free fractions offer; each further site lowers the level until the next
    // lies below it.
    let (mut some_free, mut some_live) = (0u64, 0u64);
    let mut level = 0.0;
    for (at, &r) in falling.iter().enumerate() {
        some_free += u64::from(free(&sites[r]));
        some_live += u64::from(sites[r].live);
        level = (some_free as f64 - wanted as f64) / some_live as f64;
        if falling.get(at + 1).is_none_or(|&next| level >= fraction(next)) {
            break;
        }
    }
    let level = level.max(0.0);
    let exact: Vec<f64> = sites
        .iter()
        .map(|site| (f64::from(free(site)) - level * f64::from(site.live)).clamp(0.0, f64::from(free(site))))
        .collect();
    let mut offered: Vec<u32> = exact.iter().map(|&g| g as u32).collect();
    let by_remainder = by(&|r| exact[r].fract());
    let mut left = wanted.saturating_sub(offered.iter().map(|&g| u64::from(g)).sum());
    while left > 0 {
        let before = left;
        for &r in &by_remainder {
            if left > 0 && offered[r] < free(&sites[r]) {
                offered[r] += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    offered
}
