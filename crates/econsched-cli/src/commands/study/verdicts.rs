//! The claims of all papers with their verdicts: a CSV file for each paper.

use super::publish::markdown;
use crate::error::CliError;
use crate::output::files;
use crate::report::Report;
use econsched_studies::claims::Claim;
use econsched_studies::report::{Cell, Table};
use econsched_studies::stats::two_digits;
use econsched_studies::{Study, StudyReport, Verdict};
use serde::Serialize;
use std::path::Path;

/// The claims of a paper with their verdicts.
pub(super) struct Judged {
    name: &'static str,
    /// Each claim as a row of [`COLUMNS`].
    rows: Vec<Row>,
    /// The command and the report of a study that was run; `None` if its earlier file is kept.
    run: Option<(String, StudyReport)>,
}

type Row = [String; COLUMNS.len()];

impl Judged {
    /// A study that was run.
    pub(super) fn now(study: &dyn Study, report: StudyReport) -> Self {
        let rows = report.claims().iter().map(record).collect();
        Self { name: study.name(), rows, run: Some((study.command(), report)) }
    }

    /// A study whose earlier file is kept.
    ///
    /// # Errors
    /// [`CliError::Input`] for a file that is not such a file.
    pub(super) fn before(name: &'static str, path: &Path) -> Result<Self, CliError> {
        let text = files::read_text(path)?;
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        let columns_are_ours = reader.headers().is_ok_and(|columns| columns == COLUMNS.as_slice());
        let rows: Vec<Row> = reader.into_deserialize().collect::<Result<_, _>>().unwrap_or_default();
        let judged = Self { name, rows, run: None };
        let [claims, held, refuted, open, _, missing] = judged.counts();
        if !columns_are_ours || claims == 0 || claims != held + refuted + open + missing {
            return Err(CliError::input(path, "no file of verdicts: run this study too"));
        }
        Ok(judged)
    }

    /// All claims; those that hold, are refuted, and are open; of the open those of less or more where no difference
    /// counts; and those that are not determined.
    fn counts(&self) -> [usize; 6] {
        let of = |verdict: Verdict| self.rows.iter().filter(move |row| row[VERDICT] == verdict.name());
        let same = of(Verdict::Open).filter(|row| row[SIZE] == SAME).count();
        let [held, refuted, open, missing] = Verdict::ALL.map(|verdict| of(verdict).count());
        [self.rows.len(), held, refuted, open, same, missing]
    }
}

/// The columns of a file of verdicts. `half` is half the width of the 95% interval of `ours`; `times` says, of
/// an open claim, how many times as many replicates would decide it if mean and spread stayed.
const COLUMNS: [&str; 11] =
    ["place", "claim", "theirs", "allowed", "ours", "half", "ratio", "verdict", "size", "times", "note"];
const VERDICT: usize = 7;
const SIZE: usize = 8;

/// The size of a claim of less or more without a difference that counts.
const SAME: &str = "the same";

/// The name of a study's file of verdicts.
pub(super) fn file(name: &str) -> String {
    format!("verdicts-{name}.csv")
}

/// The counts of verdicts; as files the claims of each paper that was rerun as CSV, below a comment with the
/// command.
pub(super) fn answer(judged: &[Judged]) -> Result<Report, CliError> {
    let mut answer = Report::new(overview(judged) + "\n", &entries(judged))?;
    for Judged { name, rows, run } in judged {
        let Some((command, _)) = run else { continue };
        let rows = files::csv(&COLUMNS, rows)?;
        answer = answer.with_file(file(name), format!("# {command}\n{rows}"));
    }
    Ok(answer)
}

/// A claim as a row of [`COLUMNS`].
fn record(claim: &Claim) -> Row {
    let number = |value: f64| format!("{value:.0$}", claim.decimals);
    let ours = claim.ours.as_ref();
    [
        claim.place.clone(),
        claim.text.clone(),
        claim.theirs.map(number).unwrap_or_default(),
        ours.map(|_| claim.range.to_string()).unwrap_or_default(),
        ours.map(|ours| number(ours.mean)).unwrap_or_default(),
        // All replicates agree: an interval of width 0 would claim too much.
        ours.filter(|ours| ours.half != 0.0).map(|ours| number(ours.half)).unwrap_or_default(),
        claim.ratio().map(|ratio| format!("{ratio:.3}")).unwrap_or_default(),
        claim.verdict().name().to_owned(),
        if claim.shows_the_same() { SAME } else { "" }.to_owned(),
        claim.times_needed().map(two_digits).unwrap_or_default(),
        claim.note.clone(),
    ]
}

/// A claim as it is printed with `--json`.
#[derive(Debug, Serialize)]
struct ClaimEntry<'a> {
    study: &'a str,
    place: &'a str,
    claim: &'a str,
    theirs: Option<f64>,
    ours: Option<f64>,
    /// Half the width of our 95% interval; `None` if it is not known.
    half: Option<f64>,
    verdict: &'static str,
    /// Whether it claims less or more, but there is no difference that counts.
    same: bool,
    note: &'a str,
}

fn entries(judged: &[Judged]) -> Vec<ClaimEntry<'_>> {
    fn of<'a>(study: &'a str, claim: &'a Claim) -> ClaimEntry<'a> {
        ClaimEntry {
            study,
            place: &claim.place,
            claim: &claim.text,
            theirs: claim.theirs,
            ours: claim.ours.map(|ours| ours.mean),
            half: claim.ours.map(|ours| ours.half).filter(|half| half.is_finite()),
            verdict: claim.verdict().name(),
            same: claim.shows_the_same(),
            note: &claim.note,
        }
    }
    let run = judged.iter().filter_map(|judged| Some((judged.name, &judged.run.as_ref()?.1)));
    run.flat_map(|(study, report)| report.claims().iter().map(move |claim| of(study, claim))).collect()
}

fn overview(judged: &[Judged]) -> String {
    let columns = ["study", "claims", "held", "refuted", "open", "of these the same", "not determined"];
    let mut table = Table::new("counts", "", &columns);
    let mut sum = [0; 6];
    let mut row = |name: &str, counts: [usize; 6]| {
        let counts = counts.map(|count| Cell::from(count as u64));
        table.push([Cell::from(name)].into_iter().chain(counts).collect());
    };
    for judged in judged {
        let counts = judged.counts();
        sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        row(judged.name, counts);
    }
    row("all", sum);
    markdown(&table)
}
