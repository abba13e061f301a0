//! The claims of all papers with their verdicts, as Markdown.

use super::args::command_by_default;
use super::publish::shown;
use crate::error::CliError;
use crate::files::{self, OutDir};
use crate::terminal;
use econsched_studies::claims::{ALWAYS, Claim, NUMBER, POINT, SAME, SIMILAR, counts, open_but_the_same};
use econsched_studies::report::{Cell, Table};
use econsched_studies::{Study, StudyReport};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// The claims of a paper with their verdicts.
pub(super) struct Judged {
    name: &'static str,
    title: String,
    counts: [usize; 4],
    /// Open claims of less or more where no difference counts.
    same: usize,
    /// The command and the report of a study that was run; `None` if its earlier page is kept.
    run: Option<(String, StudyReport)>,
}

impl Judged {
    /// A study that was run.
    pub(super) fn now(study: &dyn Study, report: StudyReport) -> Self {
        let (title, counts) = (report.title().to_owned(), counts(report.claims()));
        let same = open_but_the_same(report.claims());
        Self { name: study.name(), title, counts, same, run: Some((study.command(), report)) }
    }

    /// A study whose earlier page is kept.
    ///
    /// # Errors
    /// [`CliError::Input`] for a file that is not such a page.
    pub(super) fn before(name: &'static str, path: &Path) -> Result<Self, CliError> {
        let text = files::read_text(path)?;
        let read = || {
            let title = text.lines().find_map(|line| line.strip_prefix("# Claims: "))?.to_owned();
            let line = text.lines().find_map(|line| line.strip_prefix(COUNTS))?;
            let numbers =
                line.split([',', ';']).map(|part| part.trim().split(' ').next()?.parse::<usize>().ok());
            let numbers = numbers.collect::<Option<Vec<_>>>()?;
            let [counts @ .., same] = numbers.as_slice() else { return None };
            Some((title, counts.try_into().ok()?, *same))
        };
        let (title, counts, same) =
            read().ok_or_else(|| CliError::input(path, "no page of verdicts: run this study too"))?;
        Ok(Self { name, title, counts, same, run: None })
    }
}

/// How the line of counts begins: see the title of the table of verdicts.
const COUNTS: &str = "The paper's claims: ";

/// The name of a study's page of verdicts.
pub(super) fn page(name: &str) -> String {
    format!("verdicts-{name}.md")
}

/// Prints the counts of verdicts and, where a directory is given, saves the claims of each paper that was
/// rerun and an overview, as Markdown.
pub(super) fn publish_verdicts(
    judged: &[Judged],
    dir: Option<&mut OutDir>,
    json: bool,
) -> Result<(), CliError> {
    let overview = overview(judged);
    let printed = if json { files::json(&entries(judged))? } else { overview.clone() };
    let Some(dir) = dir else { return terminal::print(&printed) };
    dir.write("README.md", &overview)?;
    for Judged { name, title, run, .. } in judged {
        let Some((command, report)) = run else { continue };
        let mut text = format!("# Claims: {title}\n\nGenerated; rerun with\n\n```sh\n{command}\n```\n");
        for table in report.tables().filter(|table| table.name() == "verdicts") {
            let _ = writeln!(text, "\n{}.\n\n{}\n", table.title(), plain_markdown(table));
            let _ = writeln!(text, "Rerun: `{}`, table `{}`.", shortest(name, command), table.name());
        }
        dir.write(&page(name), &text)?;
    }
    terminal::print(&printed)
}

/// The command as the papers' documents have it, without what is so by default.
fn shortest(name: &str, command: &str) -> String {
    let by_default = command_by_default(name).unwrap_or_default();
    let pairs = |command: &str| {
        let flags = command.split_once(" --").map_or("", |(_, flags)| flags).to_owned();
        flags.split(" --").map(|flag| format!(" --{flag}")).collect::<Vec<_>>()
    };
    let given = pairs(command).into_iter().filter(|flag| !pairs(&by_default).contains(flag));
    format!("econsched study {name}{}", given.collect::<String>())
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
    let mut text = String::from(
        "# Papers and their claims\n\nEvery table, figure and sentence of the five papers that claims something, beside \
         what we measure. Generated; rerun with\n\n```sh\neconsched study verdicts --out docs/papers\n```\n\n\
         and with `--open-times 4` where the commands of the pages say `--open-seeds` or `--open-cycles` of four times \
         as many replicates.\n\n",
    );
    let mut table = Table::new(
        "counts",
        "",
        &["paper", "claims", "held", "refuted", "open", "of these the same", "not determined"],
    );
    let (mut sum, mut all_same) = ([0; 4], 0);
    let mut row = |name: String, [held, refuted, open, missing]: [usize; 4], same: usize| {
        let columns = [held + refuted + open + missing, held, refuted, open, same, missing];
        let mut cells: Vec<Cell> = vec![name.into()];
        cells.extend(columns.map(|count| Cell::from(count as u64)));
        table.push(cells);
    };
    for Judged { name, title, counts, same, .. } in judged {
        sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        all_same += same;
        row(format!("[{title}]({})", page(name)), *counts, *same);
    }
    row("all".to_owned(), sum, all_same);
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
         A claim that is open may be judged once more, from a number of replicates that is set before they are run, of which \
         only the runs are made that such claims need; its note says so, and there is no third time. What is open then says how \
         many times as many would decide it, if mean and spread stayed as they are: an interval narrows as one over the root of \
         the number of replicates. So it is reckoned for [all that is open](open.md).\n\n\
         Where there is no difference at all, a claim of less or more stays open however many replicates there are. So such a \
         claim, if it is of per cent or percentage points, has a size beside its verdict: **the same** where the whole interval \
         lies within the {SAME}% of the same, whatever the direction. The size turns no verdict; it says of an open claim that \
         more replicates may show a direction, but no difference that counts, and of one that held or was refuted that it did so \
         by less than counts. It was added, for all claims of this kind, before the runs with four times as many replicates as \
         before (400 workloads, 800 draws, 100,000 cycles) that these pages show; the margins stayed.\n\n\
         A share of the replicates has Wilson's interval. A mean of shares on which all replicates agree, or that lies as near \
         0 or 100% as that is wide, has none narrower than that of as many replicates that all agree. Any other figure that is \
         the same in all replicates is shown without an interval, and its note says so.\n\n\
         What a paper tells of the work of others is no claim of its own; what it defines, its algorithms and parameters, is \
         followed and not judged.\n\n\
         What was rerun, the readings of what a text leaves open, and the figures stand in the document of each paper: \
         [2011](iccs2011.md), [2018](window2018.md), [meta-broker](garg2009.md), [grouping](yadav.md), \
         [strategies](gahrouei.md). Under each table of results stands the command that makes it: `python3 scripts/papers.py \
         check` runs them all and compares. Running times differ from run to run, and are not compared.",
        100.0 * NUMBER,
    );
    text
}

/// Same as [`markdown`], without the spaces that align columns, because cells of these tables are long.
fn plain_markdown(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let mut text = line(table.columns().to_vec());
    let _ = write!(text, "\n|{}", " --- |".repeat(table.columns().len()));
    for row in table.rows() {
        let _ = write!(text, "\n{}", line(row.iter().map(shown).collect()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use econsched_studies::{Replicates, Yadav};

    #[test]
    fn commands_are_without_what_is_so_by_default() {
        for (name, command, shown) in [
            ("garg2009", "--seeds 400 --jobs 1000 --interval 50 --seed 1", ""),
            (
                "garg2009",
                "--seeds 400 --jobs 1000 --interval 50 --open-seeds 4000 --seed 1",
                " --open-seeds 4000",
            ),
            ("iccs2011", "--cycles 100000 --seed 1", " --cycles 100000"),
            ("multi-s-grid", "--seeds 80 --slices 150 --seed 12", " --seeds 80 --seed 12"),
        ] {
            let short = shortest(name, &format!("econsched study {name} {command}"));
            assert_eq!(short, format!("econsched study {name}{shown}"));
        }
    }

    #[test]
    fn the_page_of_a_study_tells_its_counts() {
        let study = Yadav::default().with_seeds(2);
        let report = study.run(&Replicates::new(Some(1)).unwrap()).unwrap();
        let now = Judged::now(&study, report);
        let now_same = now.same;
        let place = std::env::temp_dir().join(format!("econsched-verdicts-{}", std::process::id()));
        let mut dir = OutDir::open(&place).unwrap();
        publish_verdicts(&[now], Some(&mut dir), true).unwrap();
        dir.publish().unwrap();
        let path = place.join(page("yadav"));
        let before = Judged::before("yadav", &path).unwrap();
        assert_eq!((before.counts.iter().sum::<usize>(), before.same), (71, now_same));
        assert!(before.title.starts_with("Job grouping") && before.run.is_none());
        std::fs::write(&path, "# Claims: none").unwrap();
        assert!(Judged::before("yadav", &path).is_err());
        std::fs::remove_dir_all(&place).unwrap();
    }
}
