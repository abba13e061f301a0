//! `econsched window`: searches one window for one request; explains why a request has none, which changes would give
//! it one, and when it could start.

use super::limits::{self, LimitFlags};
use super::prelude::*;
use econsched::slot_window::explain;
use econsched::slot_window::explain::{NodeCounts, Suggestion};

flags! {
    /// Search one window for one request
    #[command(after_long_help = include_str!("../help/window.txt"), allow_negative_numbers = true)]
    pub(crate) struct WindowArgs {
        /// Slots (or nodes) with a `request`, or with jobs of which --job names one; JSON, `-` is standard input
        operand input: PathBuf as "FILE",
        /// Window search
        search: SearchKind as "NAME" = "amp" => names::<SearchKind>(),
        /// A request without a budget has the budget FACTOR * C * t * N (price limit, time on a node of speed 1,
        /// nodes)
        rho: f64 as "FACTOR" = "1",
        /// Id of the job whose request is searched for
        job: Option<u64> as "ID",
        /// No window starts before this instant [default: the start of the slots]
        from: Option<Time> as "TIME" => quantity::<Time>,
        [flatten] limits: LimitFlags,
        /// Stop at a choice that is proven to be within this share of the best
        gap: Option<f64> as "SHARE" => gap,
        /// If there is no window: the number of nodes that each cause excludes, the smallest change of each single
        /// limit that would give one, and when it could start
        explain: bool,
        /// JSON instead of a table
        pub(crate) json: bool,
    }
}

impl Command for WindowArgs {
    fn report(&self, _: &Context<'_>) -> Result<Report, CliError> {
        let scenario = Scenario::from_json(&files::read(&self.input)?, &self.input)?;
        let (request, earliest) = asked(&scenario, self)?;
        let from = self.from.unwrap_or(earliest);
        let search = scenario.search(self.search, self.rho)?;
        let wrong = |error| CliError::input(self.input.as_path(), error);
        let query = WindowQuery::new(&scenario.slots, request).with_from(from);
        let limit = self.limits.start_search(self.gap, true);
        let mut meter = limit.meter().with_observer(limits::progress_observer("search"));
        let found = search.solve(&query, &mut meter).map_err(wrong)?;
        let ended = limits::stop_note("the search", found.end, found.work);
        if let Some(window) = found.best {
            let checker = Checker::new(&scenario.slots, search.rules());
            if let Some(violation) = checker.window(&window, request).first() {
                return Err(CliError::fault(format!("the checker objects: {violation}")));
            }
            let report = Report::of(table(&scenario, &window), scenario.json(&window, false)?);
            let Some(ended) = ended else { return Ok(report) };
            let known = found.bound.map_or("nothing is proven".to_owned(), |bound| {
                format!("no window is worth more than {}", number(bound))
            });
            return Ok(report.with_remark(format!("{ended}: the best so far; {known}")));
        }
        if let Some(ended) = ended {
            return Err(CliError::NoPlan(format!("{ended}, before a window was found; {}", limits::HINT)));
        }
        let reason = match search.refusal(&query, &mut meter) {
            Err(WindowError::Stopped(end)) => {
                let more = meter.work().saturating_sub(found.work);
                let ended = limits::stop_note("the search for the reason", end, more).unwrap_or_default();
                return Err(CliError::NoPlan(format!("no window; {ended} more")));
            }
            reason => reason.map_err(wrong)?,
        };
        drop(meter);
        let none = CliError::NoPlan(format!("no window: {}", scenario.refusal(&reason, false)));
        let report = if self.explain {
            let why = Explanation::of(&scenario, &*search, &query, &reason)?;
            Report::of(why.text(&scenario, false), scenario.json(&why, false)?)
        } else {
            Report::of(String::new(), scenario.json(&reason, false)?)
        };
        Ok(report.with_end(|| Err(none)))
    }
}

/// Returns the request to search for, and the earliest instant at which its window may start.
fn asked<'a>(scenario: &'a Scenario, args: &WindowArgs) -> Result<(&'a ResourceRequest, Time), CliError> {
    let of_job = |job: &'a Job| (&job.request, scenario.from.max(job.submit));
    let wrong = |message: String| CliError::input(args.input.as_path(), message);
    match (args.job, &scenario.request, &scenario.batch[..]) {
        (Some(id), ..) => {
            let job = scenario.batch.iter().find(|job| job.id == JobId(id));
            job.map(of_job).ok_or_else(|| wrong(format!("--job {id}: no such job")))
        }
        (None, Some(request), _) => Ok((request, scenario.from)),
        (None, None, [job]) => Ok(of_job(job)),
        (None, None, jobs) => {
            Err(wrong(format!("no `request`, and {}: choose one by --job", counted(jobs.len(), "job"))))
        }
    }
}

fn table(scenario: &Scenario, window: &Window) -> String {
    let columns: [TextColumn<'_, Placement>; 6] = [
        ("node", &|on| on.node.to_string()),
        ("speed", &|on| number(on.speed.get())),
        ("price", &|on| number(scenario.money(on.price.get()))),
        ("start", &|_| number(window.start().get())),
        ("end", &|on| number(on.end.get())),
        ("cost", &|on| number(scenario.money(on.cost.get()))),
    ];
    let table = Columns::of(window.placements(), &columns);
    format!(
        "{}\nstart {}, finish {}, runtime {}, cost {}\n",
        table.render(),
        number(window.start().get()),
        number(window.finish().get()),
        number(window.runtime().get()),
        number(scenario.money(window.cost().get()))
    )
}

/// Why a request has no window.
#[derive(Debug, Serialize)]
pub(crate) struct Explanation {
    /// The job; `None` for a single request.
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<JobId>,
    /// A stable name of the reason.
    code: &'static str,
    reason: Refusal,
    /// Numbers of nodes on which a single task finds no place, by cause; `None` if the request has a window of its
    /// own.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<NodeCounts>,
    /// Number of nodes that are never free.
    busy: usize,
    /// Changes of single limits, each of which alone gives a window; the next smaller representable change does not.
    suggestions: Vec<Suggestion>,
    /// The earliest start beside everything planned, if the free time after the horizon is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated_start: Option<Time>,
}

impl Explanation {
    /// Explains why the refused jobs of a schedule have no place beside the others.
    ///
    /// # Errors
    /// As for [`of`](Self::of).
    pub(crate) fn of_refused(
        scenario: &Scenario,
        schedule: &Schedule,
        search: &dyn WindowSearch,
    ) -> Result<Vec<Self>, CliError> {
        let mut left = scenario.slots.clone();
        for (_, window) in schedule.placed() {
            left.cut(window).map_err(CliError::fault)?;
        }
        let mut explanations = Vec::new();
        for (id, reason) in schedule.refused() {
            let Some(job) = scenario.batch.iter().find(|job| job.id == id) else { continue };
            let query = WindowQuery::new(&left, &job.request).with_from(scenario.from.max(job.submit));
            explanations.push(Self { job: Some(id), ..Self::of(scenario, search, &query, reason)? });
        }
        Ok(explanations)
    }

    /// Explains why a request has no window.
    ///
    /// # Errors
    /// [`CliError::Wrong`] for a request that the search does not accept.
    pub(crate) fn of(
        scenario: &Scenario,
        search: &dyn WindowSearch,
        query: &WindowQuery<'_>,
        reason: &Refusal,
    ) -> Result<Self, CliError> {
        let why = explain::explain(search, query)?;
        // A plan may also refuse a job that has a window, because of a limit of the batch or because a search was
        // stopped.
        let slots = with_later(scenario, query.slots)?.or(why.is_none().then(|| query.slots.clone()));
        let start = slots.map(|slots| explain::earliest_start(search, &query.with_slots(&slots)));
        let estimated_start = start.transpose()?.flatten();
        let (reason, nodes, suggestions) = match why {
            Some(why) => (why.reason, Some(why.nodes), why.suggestions),
            None => (reason.clone(), None, Vec::new()),
        };
        let busy = nodes.map_or(0, |nodes| scenario.nodes.len().saturating_sub(nodes.all));
        Ok(Self { job: None, code: reason.code(), reason, nodes, busy, suggestions, estimated_start })
    }

    /// Describes it for a person; `money` says whether the limit of the batch is an amount.
    pub(crate) fn text(&self, scenario: &Scenario, money: bool) -> String {
        let who = self.job.map_or("no window".to_owned(), |job| format!("job {job}"));
        let mut text = format!("{who}: {} ({})\n", scenario.refusal(&self.reason, money), self.code);
        if let Some(nodes) = &self.nodes {
            let causes = [
                (self.busy, "never free"),
                (nodes.missing, "without a demanded label or amount"),
                (nodes.slow, "too slow"),
                (nodes.over_price, "above the price limit"),
                (nodes.short, "not free for long enough"),
                (nodes.late, "free too late"),
                (nodes.over_budget, "where one task costs more than the budget"),
                (nodes.other, "that this search does not use"),
                (nodes.usable, "usable"),
            ];
            let causes = causes.iter().filter(|(count, _)| *count > 0);
            let causes: Vec<String> = causes.map(|(count, cause)| format!("{count} {cause}")).collect();
            let all = counted(nodes.all + self.busy, "node");
            // With all their digits, so that the changes can be applied.
            let decimal = |change| scenario.suggestion(change).to_string();
            let changes: Vec<String> = self.suggestions.iter().map(decimal).collect();
            let what = match changes.is_empty() {
                true => "no single change gives it a window".to_owned(),
                false => format!("it has a window with {}", changes.join(", or with ")),
            };
            text += &format!("  {all}: {}\n  {what}\n", causes.join(", "));
        } else {
            let why = "a limit of the batch or of the search leaves it out";
            text += &format!("  it has a window beside this plan; {why}\n");
        }
        if let Some(start) = self.estimated_start {
            let after = if start >= scenario.horizon { ", after the horizon" } else { "" };
            text += &format!("  earliest start{after}: {start}\n");
        }
        text
    }
}

/// Returns the free time, including all after the horizon; `None` if that is unknown.
fn with_later(scenario: &Scenario, slots: &SlotList) -> Result<Option<SlotList>, CliError> {
    let Some(occupied) = &scenario.occupied else { return Ok(None) };
    let (mut slots, horizon, last) = (slots.clone(), scenario.horizon, Time::must(1e60));
    if horizon < last {
        slots.extend(&scenario.nodes, horizon, last).map_err(CliError::fault)?;
    }
    for busy in occupied {
        slots.block(busy.node, busy.start..busy.end);
    }
    Ok(Some(slots))
}
