//! The claims of all papers with their verdicts, as Markdown.

use super::publish::shown;
use crate::error::CliError;
use crate::files::{self, OutDir};
use crate::terminal;
use econsched_studies::Report;
use econsched_studies::claims::{ALWAYS, Claim, NUMBER, POINT, SAME, SIMILAR, counts};
use econsched_studies::report::{Cell, Table};
use serde::Serialize;
use std::fmt::Write as _;

/// Prints the counts of verdicts and, where a directory is given, saves the claims of each paper and an overview, as
/// Markdown.
pub(super) fn publish_verdicts(
    reports: &[(&str, String, Report)],
    dir: Option<&mut OutDir>,
    json: bool,
) -> Result<(), CliError> {
    let overview = overview(reports);
    let printed = if json { files::json(&entries(reports))? } else { overview.clone() };
    let Some(dir) = dir else { return terminal::print(&printed) };
    dir.write("README.md", &overview)?;
    for (name, command, report) in reports {
        let mut text =
            format!("# Claims: {}\n\nGenerated; rerun with\n\n```sh\n{command}\n```\n", report.title());
        for table in report.tables().filter(|table| table.name() == "verdicts") {
            let _ = writeln!(text, "\n{}.\n\n{}", table.title(), plain_markdown(table));
        }
        dir.write(&format!("verdicts-{name}.md"), &text)?;
    }
    terminal::print(&printed)
}

/// A claim as it is printed with `--json`.
#[derive(Debug, Serialize)]
struct ClaimEntry<'a> {
    study: &'a str,
    place: &'a str,
    claim: &'a str,
    theirs: Option<f64>,
    ours: Option<f64>,
    /// Half of the 95% interval of ours; nothing where it is not known.
    half: Option<f64>,
    verdict: &'static str,
    note: &'a str,
}

fn entries<'a>(reports: &'a [(&'a str, String, Report)]) -> Vec<ClaimEntry<'a>> {
    let of = |study: &'a str, claim: &'a Claim| ClaimEntry {
        study,
        place: &claim.place,
        claim: &claim.text,
        theirs: claim.theirs,
        ours: claim.ours.map(|ours| ours.mean),
        half: claim.ours.map(|ours| ours.half).filter(|half| half.is_finite()),
        verdict: claim.verdict().name(),
        note: &claim.note,
    };
    let reports = reports.iter();
    reports.flat_map(|(study, _, report)| report.claims().iter().map(move |claim| of(study, claim))).collect()
}

fn overview(reports: &[(&str, String, Report)]) -> String {
    let mut text = String::from(
        "# Papers and their claims\n\nEvery table, figure and sentence of the five papers that claims something, beside \
         what we measure. Generated; rerun with\n\n```sh\neconsched study verdicts --out docs/papers\n```\n\n",
    );
    let mut table =
        Table::new("counts", "", &["paper", "claims", "held", "refuted", "open", "not determined"]);
    let mut sum = [0; 4];
    let mut row = |name: String, counts: [usize; 4]| {
        let mut cells: Vec<Cell> = vec![name.into(), (counts.iter().sum::<usize>() as u64).into()];
        cells.extend(counts.map(|count| Cell::from(count as u64)));
        table.push(cells);
    };
    for (name, _, report) in reports {
        let counts = counts(report.claims());
        sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        row(format!("[{}](verdicts-{name}.md)", report.title()), counts);
    }
    row("all".to_owned(), sum);
    let _ = writeln!(text, "{}\n", plain_markdown(&table));
    let _ = writeln!(
        text,
        "## The rule\n\nA claim says in which range a figure lies. Ours is measured with its 95% confidence interval. If the \
         interval lies inside the range, the claim **held**; outside, it is **refuted**; across an end of the range, it is \
         **open**, and more replicates may decide it. **Not determined** is what the text leaves out. The margins are the \
         same for all papers and stand in the library, apart from any result:\n\n\
         - a printed number: within {:.0}% of it; a printed percentage: at least within {POINT} point;\n\
         - less, more: the paired difference below, above 0;\n\
         - the same, no effect: within {SAME}%; similar, slight, approximately: within {SIMILAR}%;\n\
         - always, in every experiment: in more than {ALWAYS}% of the replicates.\n\n\
         What was rerun, the readings of what a text leaves open, and the figures stand in the document of each paper: \
         [2011](iccs2011.md), [2018](window2018.md), [meta-broker](garg2009.md), [grouping](yadav.md), \
         [strategies](gahrouei.md).",
        100.0 * NUMBER,
    );
    text
}

/// As [`markdown`], without the spaces that align columns: cells of these tables are long.
fn plain_markdown(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let mut text = line(table.columns().to_vec());
    let _ = write!(text, "\n|{}", " --- |".repeat(table.columns().len()));
    for row in table.rows() {
        let _ = write!(text, "\n{}", line(row.iter().map(shown).collect()));
    }
    text
}
