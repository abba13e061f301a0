//! The data of a chart: bars in groups, or curves, with intervals. Drawing it is left to the caller.

use crate::stats::Estimate;

econsched::sched_model::settings! {
    /// Groups of bars, with one bar of each series in each group; or curves through points with whiskers. A value
    /// that is not finite is a gap.
    pub struct Chart {
        /// Creates a chart of curves on these axes, without series.
        new(title: impl Into<String>, x: impl Into<String>, y: impl Into<String>);
        /// Its title.
        _: title: String = title.into(),
        /// The names of the groups of bars; `None` for a chart of curves.
        _: groups: Option<Vec<String>> = None,
        /// The name and unit of the horizontal axis; empty for groups of bars.
        _: x: String = x.into(),
        /// The name and unit of the vertical axis.
        _: y: String = y.into(),
        /// The name and the points of each series; for a bar, x is the number of its group.
        _: series: Vec<(String, Vec<(f64, Estimate)>)> = Vec::new(),
        /// Whether the bars of a group are stacked.
        with_stacked: stacked: bool = false,
        /// Whether the x axis is logarithmic.
        with_log_x: log_x: bool = false,
        /// Whether the y axis is logarithmic; with both, a power law is a straight line.
        with_log_y: log_y: bool = false,
        /// Whether each point has a mark; set to false for many points.
        with_markers: markers: bool = true,
        /// Whether lines join the points; set to false if nothing lies between two points.
        with_joined: joined: bool = true,
    }
}

impl Chart {
    /// Creates a chart of bars in these groups, without series.
    pub fn bars<G: Into<String>>(
        title: impl Into<String>,
        y: impl Into<String>,
        groups: impl IntoIterator<Item = G>,
    ) -> Self {
        let groups = groups.into_iter().map(Into::into).collect();
        Self { groups: Some(groups), ..Self::new(title, "", y) }
    }

    /// Adds a series through these points.
    pub fn with_series<E: Into<Estimate>>(
        mut self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, E)>,
    ) -> Self {
        let drawn = |(x, point): (f64, E)| {
            let point: Estimate = point.into();
            // An unknown interval has no whisker.
            (x, Estimate { half: if point.half.is_finite() { point.half } else { 0.0 }, ..point })
        };
        self.series.push((name.into(), points.into_iter().map(drawn).collect()));
        self
    }

    /// Adds a series for each name; `of` returns the points of the series with this number.
    pub fn with_each<E: Into<Estimate>, I: IntoIterator<Item = (f64, E)>>(
        self,
        names: impl IntoIterator<Item = impl Into<String>>,
        of: impl Fn(usize) -> I,
    ) -> Self {
        names.into_iter().enumerate().fold(self, |chart, (at, name)| chart.with_series(name, of(at)))
    }

    /// Adds a series with a bar for each group.
    pub fn with_bars<E: Into<Estimate>>(
        self,
        name: impl Into<String>,
        bars: impl IntoIterator<Item = E>,
    ) -> Self {
        self.with_series(name, (0..).map(f64::from).zip(bars))
    }
}
