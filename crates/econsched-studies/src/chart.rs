//! The data of a chart: bars in groups, or curves, with intervals. The caller draws it.

use crate::stats::Estimate;

/// An interval that is not known draws no whisker.
fn drawn(estimate: Estimate) -> Estimate {
    Estimate { half: if estimate.half.is_finite() { estimate.half } else { 0.0 }, ..estimate }
}

/// How the bars of a group stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Arrangement {
    /// Side by side.
    Beside,
    /// Stacked.
    Stacked,
}

/// Groups of bars, one bar of each series in each group.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct Bars {
    /// What the chart shows.
    pub title: String,
    /// The quantity of the height of a bar, with its unit.
    pub y: String,
    /// Names of the groups.
    pub groups: Vec<String>,
    /// Name and bars of each series, a bar for each group.
    pub series: Vec<(String, Vec<Estimate>)>,
    /// How the bars of a group stand.
    pub arrangement: Arrangement,
}

impl Bars {
    /// A chart of these groups, without series.
    pub fn new<G: Into<String>>(
        title: impl Into<String>,
        y: impl Into<String>,
        groups: impl IntoIterator<Item = G>,
    ) -> Self {
        let (title, y, arrangement) = (title.into(), y.into(), Arrangement::Beside);
        let groups = groups.into_iter().map(Into::into).collect();
        Self { title, y, groups, series: Vec::new(), arrangement }
    }

    /// The same with the bars of a group one on top of the other.
    pub fn with_stacked_bars(mut self) -> Self {
        self.arrangement = Arrangement::Stacked;
        self
    }

    /// One more series, a bar for each group.
    pub fn with_series<E: Into<Estimate>>(
        mut self,
        name: impl Into<String>,
        bars: impl IntoIterator<Item = E>,
    ) -> Self {
        self.series.push((name.into(), bars.into_iter().map(|bar| drawn(bar.into())).collect()));
        self
    }

    /// One more series for each name: the bars of the series at its place.
    pub fn with_each<E: Into<Estimate>, I: IntoIterator<Item = E>>(
        self,
        names: impl IntoIterator<Item = impl Into<String>>,
        of: impl Fn(usize) -> I,
    ) -> Self {
        names.into_iter().enumerate().fold(self, |bars, (at, name)| bars.with_series(name, of(at)))
    }
}

/// Curves through points with whiskers. A value that is not finite is a gap in its curve.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct Lines {
    /// What the chart shows.
    pub title: String,
    /// The axis to the right, with its unit.
    pub x: String,
    /// The axis upwards, with its unit.
    pub y: String,
    /// Name and points of each series.
    pub series: Vec<(String, Vec<(f64, Estimate)>)>,
    /// Whether the x axis is logarithmic.
    pub log_x: bool,
    /// Whether the y axis is logarithmic.
    pub log_y: bool,
    /// Whether each point has a mark.
    pub markers: bool,
}

impl Lines {
    /// A chart of these axes, without series.
    pub fn new(title: impl Into<String>, x: impl Into<String>, y: impl Into<String>) -> Self {
        let (title, x, y) = (title.into(), x.into(), y.into());
        Self { title, x, y, series: Vec::new(), log_x: false, log_y: false, markers: true }
    }

    /// The same with both axes logarithmic: a power law is a straight line.
    pub fn with_log_axes(mut self) -> Self {
        (self.log_x, self.log_y) = (true, true);
        self
    }

    /// The same with a logarithmic y axis.
    pub fn with_log_y(mut self) -> Self {
        self.log_y = true;
        self
    }

    /// The same with a mark at each point, or without marks, for many points.
    pub fn with_markers(mut self, markers: bool) -> Self {
        self.markers = markers;
        self
    }

    /// One more curve.
    pub fn with_series<E: Into<Estimate>>(
        mut self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, E)>,
    ) -> Self {
        self.series.push((name.into(), points.into_iter().map(|(x, bar)| (x, drawn(bar.into()))).collect()));
        self
    }

    /// One more curve for each name: the points of the curve at its place.
    pub fn with_each<E: Into<Estimate>, I: IntoIterator<Item = (f64, E)>>(
        self,
        names: impl IntoIterator<Item = impl Into<String>>,
        of: impl Fn(usize) -> I,
    ) -> Self {
        names.into_iter().enumerate().fold(self, |lines, (at, name)| lines.with_series(name, of(at)))
    }
}

/// Any chart.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Chart {
    /// Bars in groups.
    Bars(Bars),
    /// Curves.
    Lines(Lines),
}

impl From<Bars> for Chart {
    fn from(bars: Bars) -> Self {
        Self::Bars(bars)
    }
}

impl From<Lines> for Chart {
    fn from(lines: Lines) -> Self {
        Self::Lines(lines)
    }
}
