//! The entry of a slot in a sweep, and whether a task fits into it in computed numbers.

/// A slot that can carry a task of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// The cost of the task on it.
    pub(crate) cost: f64,
    /// The instant by which the task must end.
    pub(crate) end: f64,
    /// The span of the task on it.
    pub(crate) span: f64,
    /// Its node.
    pub(crate) node: u32,
    /// Its position in the list.
    pub(crate) at: u32,
    /// A window may hold so many slots of one group at most.
    pub(crate) group: u32,
}

impl Entry {
    /// Whether the task can start at this instant; once it cannot, it never can.
    #[inline(always)]
    pub(crate) fn fits(&self, now: f64) -> bool {
        fits(now, self.span, self.end)
    }

    /// Cheapest first, ties by node, then by place in the list. Costs are never negative, so that their bits
    /// are in the order of their values.
    #[inline]
    fn key(&self) -> (u64, u32, u32) {
        (self.cost.to_bits(), self.node, self.at)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    #[inline]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// The position of a double in the order of all doubles, 0 for zero.
#[inline]
pub(crate) fn position(value: f64) -> i64 {
    let size = value.abs().to_bits().cast_signed();
    if value < 0.0 { -size } else { size }
}

/// Whether a task of this span that starts at `start` ends by `end`, in computed numbers, as placements and
/// the checker compute it. The start must be before `end`, even for a span of 0. Once false, it is false for
/// all later starts.
#[inline(always)]
pub(crate) fn fits(start: f64, span: f64, end: f64) -> bool {
    (start + span <= end) & (start < end)
}

/// The greatest start at which a task of this span [`fits`].
pub(crate) fn latest_start(end: f64, span: f64) -> f64 {
    let latest = last_that_ends_by(end, span);
    if latest < end { latest } else { end.next_down() }
}

/// The greatest instant t for which the computed t + span is at most `end`.
pub(crate) fn last_that_ends_by(end: f64, span: f64) -> f64 {
    // The true difference is `difference + error`, and what is above `end` by less than half the way to the
    // next double is rounded down to it.
    let difference = end - span;
    let back = difference - end;
    let error = (end - (difference - back)) - (span + back);
    let half = f64::from_bits(end.to_bits() & f64::INFINITY.to_bits()) * (f64::EPSILON / 2.0);
    let mut last = difference + (error + half);
    // That is off by a rounding or two.
    while last + span > end {
        last = last.next_down();
    }
    while last.next_up() + span <= end {
        last = last.next_up();
    }
    last
}
