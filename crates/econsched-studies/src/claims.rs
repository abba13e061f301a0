//! Claims of papers and the verdicts on them, by one rule.
//!
//! # The rule
//! A claim states the range of a figure: below 0, within 5% of a printed number, between -1 and 1. We measure the
//! figure with its 95% confidence interval. If the interval lies inside the range, the claim **held**; if it lies
//! outside, the claim is **refuted**; if it contains an end of the range, the claim is **open**, and more replicates
//! may decide it. With one replicate the interval is infinite, and every claim is open. A claim that cannot be
//! measured because the text omits a necessary value is **not determined by the text**; its note says what is
//! missing.
//!
//! A study may judge its open claims again from more replicates, in which only the runs that these claims need are
//! computed. The number of replicates is fixed before they are run. If a claim is still open, its note says by what
//! factor their number would have to grow to decide it, at the mean and spread found so far: [`Claim::times_needed`].
//!
//! If there is no difference, a claim of less or more stays open however many replicates there are. So for each such
//! claim in per cent or percentage points the size of the difference is judged, too, apart from the verdict: if the
//! whole interval lies within the margin of "the same", the two figures are **the same**, whatever the direction.
//! This changes no verdict: an open claim stays open, and a claim that held by less than that margin says so.
//!
//! The margins are stated here, before any figure is measured, and are the same for all papers:
//!
//! | claim | range |
//! |---|---|
//! | a printed number | [`NUMBER`] = 5% around it |
//! | a printed share or percentage | as a number, but at least [`POINT`] = 1 percentage point around it |
//! | less, more | below, above 0 in the paired difference |
//! | the same, no effect | [`SAME`] = 1% around 0 in the paired difference |
//! | similar, slight, negligible | [`SIMILAR`] = 5% around 0 |
//! | always, in every experiment | the share of replicates in which it is so is above [`ALWAYS`] = 99% |

#[cfg(test)]
mod tests;

use crate::StudyError;
use crate::data::Figure;
use crate::stats::Estimate;
use std::fmt;

/// Maximum distance of our figure from a printed number, as a share of it.
pub const NUMBER: f64 = 0.05;
/// Minimum margin around a printed percentage, in percentage points.
pub const POINT: f64 = 1.0;
/// Maximum difference, in per cent, that counts as the same.
pub const SAME: f64 = 1.0;
/// Maximum difference, in per cent, that counts as similar.
pub const SIMILAR: f64 = 5.0;
/// The share of replicates, in per cent, above which something counts as always.
pub const ALWAYS: f64 = 99.0;

/// The range of figures that a claim allows.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct Range {
    /// The lower end; negative infinity if there is none.
    pub low: f64,
    /// The upper end; infinity if there is none.
    pub high: f64,
    /// Whether the ends themselves are allowed; if not, the figure must be strictly between them.
    closed: bool,
    /// Whether the figure is a difference in per cent or percentage points.
    difference: bool,
}

impl Range {
    const fn below(high: f64) -> Self {
        Self { low: f64::NEG_INFINITY, high, closed: false, difference: false }
    }

    const fn above(low: f64) -> Self {
        Self { low, high: f64::INFINITY, closed: false, difference: false }
    }

    const fn within(low: f64, high: f64) -> Self {
        Self { low, high, closed: true, difference: false }
    }

    /// Allows less: a difference in per cent or percentage points below 0.
    pub(crate) const fn less() -> Self {
        Self { difference: true, ..Self::below(0.0) }
    }

    /// Allows more: a difference in per cent or percentage points above 0.
    pub(crate) const fn more() -> Self {
        Self { difference: true, ..Self::above(0.0) }
    }

    const fn same() -> Self {
        Self::within(-SAME, SAME)
    }

    /// Parses a range in a table of claims. Returns it with the number that the paper prints, if any.
    fn parse(text: &str) -> Option<(Self, Option<f64>)> {
        let (range, theirs) = match text.split_once(", theirs ") {
            Some((range, theirs)) => (range, Some(number(theirs)?)),
            None => (text, None),
        };
        let around = |theirs: &str, least: f64| {
            let theirs = number(theirs)?;
            let margin = (NUMBER * theirs.abs()).max(least);
            Some((Self::within(theirs - margin, theirs + margin), Some(theirs)))
        };
        let range = match range.split(' ').collect::<Vec<_>>()[..] {
            ["number", theirs] => return around(theirs, 0.0),
            ["percentage", theirs] => return around(theirs, POINT),
            ["less"] => Self::less(),
            ["more"] => Self::more(),
            ["same"] => Self::same(),
            ["similar"] => Self::within(-SIMILAR, SIMILAR),
            ["always"] => Self::above(ALWAYS),
            ["below", high] => Self::below(number(high)?),
            ["above", low] => Self::above(number(low)?),
            [low, "to", high] => Self::within(number(low)?, number(high)?),
            _ => return None,
        };
        Some((range, theirs))
    }

    /// Judges our figure by the rule of this [module](self).
    pub fn judge(&self, ours: &Estimate) -> Verdict {
        let (low, high) = (ours.mean - ours.half, ours.mean + ours.half);
        // An unknown interval, NaN included, decides nothing.
        if !(low.is_finite() && high.is_finite()) {
            return Verdict::Open;
        }
        let (inside, outside) = if self.closed {
            (self.low <= low && high <= self.high, high < self.low || self.high < low)
        } else {
            (self.low < low && high < self.high, high <= self.low || self.high <= low)
        };
        match (inside, outside) {
            (true, _) => Verdict::Held,
            (_, true) => Verdict::Refuted,
            _ => Verdict::Open,
        }
    }

    /// Whether the range is a claim of less or more, and the whole interval of our figure lies within [`SAME`]: there
    /// is no difference that counts, in either direction.
    #[must_use]
    pub fn shows_the_same(&self, ours: &Estimate) -> bool {
        self.difference && Self::same().judge(ours) == Verdict::Held
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |value: f64| {
            let text = format!("{value:.4}");
            let text = text.trim_end_matches('0').trim_end_matches('.');
            if text == "-0" { "0".to_owned() } else { text.to_owned() }
        };
        match (self.low.is_finite(), self.high.is_finite()) {
            (false, false) => write!(f, "any"),
            (false, true) => write!(f, "below {}", number(self.high)),
            (true, false) => write!(f, "above {}", number(self.low)),
            (true, true) if self.low == self.high => write!(f, "{}", number(self.low)),
            (true, true) => write!(f, "{} to {}", number(self.low), number(self.high)),
        }
    }
}

econsched::sched_model::registry! {
    /// The verdict on a claim.
    pub enum Verdict: "verdict" {
        /// Our interval lies inside the claimed range.
        Held = "held",
        /// Our interval lies outside the claimed range.
        Refuted = "refuted",
        /// Our interval contains an end of the claimed range.
        Open = "open",
        /// The text omits a necessary value.
        NotDetermined = "not determined",
    }
}

/// A claim of a paper, with our measurement.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
#[must_use]
pub struct Claim {
    /// Its place in the paper: section, table, figure.
    pub place: String,
    /// What it says, with the unit of the figures.
    pub text: String,
    /// The number that the paper prints, if any.
    pub theirs: Option<f64>,
    /// Our figure; `None` if the text does not determine it.
    pub ours: Option<Estimate>,
    /// The figures that the claim allows.
    pub range: Range,
    /// Number of decimals to show.
    pub decimals: usize,
    /// A note for readers: a deviation, or what is missing.
    pub note: String,
    /// The runs of a replicate from which our figure is computed.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) runs: Vec<usize>,
}

impl Claim {
    /// Returns the verdict by the rule of this [module](self).
    pub fn verdict(&self) -> Verdict {
        self.ours.as_ref().map_or(Verdict::NotDetermined, |ours| self.range.judge(ours))
    }

    /// Whether it claims less or more, but there is [no difference that counts](Range::shows_the_same).
    #[must_use]
    pub fn shows_the_same(&self) -> bool {
        self.ours.as_ref().is_some_and(|ours| self.range.shows_the_same(ours))
    }

    /// Returns the factor by which the number of replicates would have to grow to decide an open claim: with it, the
    /// interval, around the same mean and with the same spread, just reaches an end of the range. `None` if the claim
    /// is decided, or if no number would decide it: the mean is at the end of the range itself, or the spread is
    /// unknown.
    pub fn times_needed(&self) -> Option<f64> {
        let ours = self.ours.filter(|_| self.verdict() == Verdict::Open)?;
        let ends = [self.range.low, self.range.high].map(|end| (ours.mean - end).abs());
        let times = (ours.half / ends[0].min(ends[1])).powi(2);
        times.is_finite().then_some(times)
    }

    /// Returns the ratio of our figure to the paper's, if both are numbers and the paper's is not 0.
    pub fn ratio(&self) -> Option<f64> {
        let (ours, theirs) = (self.ours?, self.theirs?);
        (theirs != 0.0).then(|| ours.mean / theirs)
    }
}

/// Parses a number of a table of claims, or a quotient of two.
fn number(text: &str) -> Option<f64> {
    let (over, under) = text.split_once('/').unwrap_or((text, "1"));
    Some(over.parse::<f64>().ok()? / under.parse::<f64>().ok()?)
}

/// Computes our figure from the words that name it.
pub type Measured<'a> = dyn Fn(&[&str]) -> Option<Figure> + 'a;

/// Parses a table of claims, and measures each claim by `figure`.
///
/// A line that begins with `#` is a comment; one that begins with `= ` names the place in the paper of the claims
/// after it. Every other line is a claim, a list of cells with bars between them: the text of the claim; the range
/// that it allows, and `, theirs` with a number if the paper prints one besides; the words that name our figure, or a
/// number; the decimals; a note, in which `{...}` stands for the figure that these words name. If the range is
/// `missing`, the third cell says what the text omits. A paragraph that begins with `for` and a list of names is
/// repeated for each of them, which replaces `*`.
///
/// # Errors
/// [`StudyError::Config`] with the first line that is none of these, or whose figure is unknown.
///
/// ```
/// use econsched_studies::claims::read;
/// use econsched_studies::stats::Estimate;
/// let costs = |words: &[&str]| match words {
///     ["cost", name] => Some(Estimate::from(if *name == "a" { 10.2 } else { 10.5 }).into()),
///     _ => None,
/// };
/// let claims = read(
///     "= section 5
///      b costs more than 10 | above 10 | cost b
///      = table 2
///      the cost of a | number 10 | cost a | 1 | as printed",
///     &costs,
/// )?;
/// assert_eq!((claims[1].place.as_str(), claims[1].ratio()), ("table 2", Some(1.02)));
/// # Ok::<(), econsched_studies::StudyError>(())
/// ```
pub fn read(table: &str, figure: &Measured<'_>) -> Result<Vec<Claim>, StudyError> {
    let (mut claims, mut place) = (Vec::new(), String::new());
    for paragraph in table.split("\n\n") {
        let repeated = paragraph.strip_prefix("for ").and_then(|rest| rest.split_once(":\n"));
        let (names, lines) = repeated.unwrap_or(("", paragraph));
        for name in names.split(", ") {
            for line in lines.lines().filter(|line| !line.starts_with('#')) {
                let line = line.trim().replace('*', name);
                match line.strip_prefix("= ") {
                    Some(begun) => place = begun.to_owned(),
                    None => claims.push(
                        parse_claim(&place, &line, figure)
                            .ok_or_else(|| StudyError::Config(format!("no claim: {line}")))?,
                    ),
                }
            }
        }
    }
    Ok(claims)
}

fn parse_claim(place: &str, line: &str, figure: &Measured<'_>) -> Option<Claim> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let (&[text, allowed, ours], more) = cells.split_first_chunk()?;
    let figure = |words: &str| match number(words) {
        Some(number) => Some(Estimate::from(number).into()),
        None => figure(&words.split(' ').collect::<Vec<_>>()),
    };
    let mut claim = Claim {
        place: place.to_owned(),
        text: text.to_owned(),
        theirs: None,
        ours: None,
        range: Range::below(f64::INFINITY),
        decimals: 0,
        note: format!("missing: {ours}"),
        runs: Vec::new(),
    };
    if allowed == "missing" {
        return Some(claim);
    }
    let Figure { estimate, runs } = figure(ours)?;
    (claim.ours, claim.runs) = (Some(estimate), runs);
    (claim.range, claim.theirs) = Range::parse(allowed)?;
    claim.decimals = match more.first() {
        Some(decimals) if !decimals.is_empty() => decimals.parse().ok()?,
        _ if allowed.starts_with("percentage") => 1,
        _ => 2,
    };
    let mut parts = more.get(1).unwrap_or(&"").split(['{', '}']);
    claim.note = parts.next()?.to_owned();
    while let (Some(words), Some(after)) = (parts.next(), parts.next()) {
        claim.note += &format!("{:.0}{after}", figure(words)?.estimate.mean);
    }
    Some(claim)
}
