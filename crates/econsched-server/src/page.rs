//! The plan as a page: a row for each node and a bar for each task, in plain HTML that reloads every second.

use crate::store::Live;
use econsched::live_broker::JobView;
use serde_json::json;
use std::fmt::Write as _;

const HEAD: &str = include_str!("page.html");

/// Renders the page. It contains only numbers and fixed words, so nothing needs escaping.
pub(crate) fn page(Live { broker, batches, decided }: &Live) -> String {
    let now = broker.now().get();
    let jobs: Vec<JobView<'_>> = broker.jobs().collect();
    let held = || jobs.iter().filter_map(|view| Some((view, view.window?)));
    let first = held().map(|(_, window)| window.start().get()).fold(now, f64::min);
    let ends = held().flat_map(|(_, window)| window.placements().iter().map(|placement| placement.end.get()));
    let last = ends.fold(now + 1.0, f64::max);
    let share = |time: f64| 100.0 * (time - first) / (last - first);
    let mut html = HEAD.to_owned();
    // Writing to a string cannot fail.
    let _ = writeln!(
        html,
        "<p>At {now}, after {batches} batches and {decided} decisions; from {first} to {last}.</p>"
    );
    for node in broker.nodes() {
        let _ = write!(html, "<div class=\"row\"><b>node {node}</b>");
        for (view, window) in held() {
            for placement in window.placements().iter().filter(|placement| placement.node == node) {
                let (id, standing) = (view.job.id, json!(view.standing));
                let standing = standing.as_str().unwrap_or_default();
                let (start, end) = (window.start().get(), placement.end.get());
                let (left, width) = (share(start), share(end) - share(start));
                let _ = write!(
                    html,
                    "<span class=\"bar {standing}\" style=\"left: {left}%; width: {width}%\" \
                     title=\"job {id}, {standing}: from {start} to {end}\">{id}</span>"
                );
            }
        }
        html.push_str("</div>\n");
    }
    let waiting = jobs.iter().filter(|view| view.window.is_none());
    let waiting: Vec<String> = waiting.map(|view| format!("job {}", view.job.id)).collect();
    let _ = match waiting.as_slice() {
        [] => writeln!(html, "<p>Nobody waits.</p>"),
        jobs => writeln!(html, "<p>Waiting: {}</p>", jobs.join(", ")),
    };
    html + "</html>\n"
}
