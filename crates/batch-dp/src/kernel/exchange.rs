//! Exchanges: choices that differ from the base in one job, or in one job and an upgraded one.

use super::incumbent::Incumbent;
use super::reduction::Reduced;
use super::relaxation::Hulls;
use crate::view::View;

/// Improves the incumbent by the best exchange: another alternative for one job, alone or with an unsettled
/// job upgraded.
pub(crate) fn exchange(view: &View<'_>, hulls: &Hulls, reduced: &Reduced, incumbent: &mut Incumbent) {
    let (mut base_p, mut base_w) = (0.0, 0.0);
    for step in &hulls.base {
        base_p += step.p;
        base_w += step.w;
    }
    let slack = view.limit - base_w;
    let upgrade = hulls.brackets.first().map(|bracket| {
        let base = &hulls.base[bracket.job as usize];
        (bracket.job as usize, bracket.heavy.p - base.p, bracket.heavy.w - base.w, bracket.heavy.alt)
    });
    let mut best = incumbent.p - base_p;
    let mut found = None;
    for &(job, start, end) in &reduced.jobs {
        let job = job as usize;
        let base = hulls.base[job];
        for step in &reduced.steps[start as usize..end as usize] {
            let (p, w) = (step.p - base.p, step.w - base.w);
            if w <= slack && p < best {
                best = p;
                found = Some(((job, step.alt), None));
            }
            if let Some((other, up_p, up_w, up_alt)) = upgrade
                && other != job
                && w + up_w <= slack
                && p + up_p < best
            {
                best = p + up_p;
                found = Some(((job, step.alt), Some((other, up_alt))));
            }
        }
    }
    if let Some((change, second)) = found {
        incumbent.offer_changes(view, &hulls.base, std::iter::once(change).chain(second));
    }
}
