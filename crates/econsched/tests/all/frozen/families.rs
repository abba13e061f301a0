//! Families of batches, including hard ones. An example of `batch-dp` and the kernels of the benches measure them.

pub(crate) type Pair = (f64, f64);

/// A number between two others.
type Between<'a> = dyn FnMut(f64, f64) -> f64 + 'a;

/// (cost, time) of an alternative of a job of this volume.
pub(crate) type Family = (&'static str, fn(&mut Between<'_>, f64) -> Pair);

pub(crate) const FAMILIES: [Family; 9] = [
    ("economic", |between, volume| {
        let speed = between(1.0, 3.0);
        (volume / speed * (0.5 + 0.5 * speed * speed) * between(0.75, 1.25), volume / speed)
    }),
    ("independent", |between, _| (between(50.0, 150.0), between(50.0, 150.0))),
    ("200 - time + noise", |between, _| {
        let time = between(50.0, 150.0);
        (200.0 - time + between(-1.0, 1.0), time)
    }),
    ("200 - time", |between, _| {
        let time = between(50.0, 150.0);
        (200.0 - time, time)
    }),
    ("tenths", |between, _| {
        let time = between(500.0, 1500.0).floor();
        ((2000.0 - time) / 10.0, time / 10.0)
    }),
    ("time", |between, _| {
        let time = between(50.0, 150.0);
        (time, time)
    }),
    ("time + 10, whole", |between, _| {
        let time = between(50.0, 150.0).floor();
        (time + 10.0, time)
    }),
    ("2 time within 1%", |between, _| {
        let time = between(50.0, 150.0);
        (2.0 * time * between(0.99, 1.01), time)
    }),
    ("ties", |between, _| (between(1.0, 5.0).floor() * 0.1, between(1.0, 4.0).floor())),
];

/// A batch of a family with weights of its jobs, and the minimum and the maximum sum of its costs and of its times.
pub(crate) struct Drawn {
    pub(crate) rows: Vec<Vec<Pair>>,
    pub(crate) weights: Vec<f64>,
    pub(crate) costs: (f64, f64),
    pub(crate) times: (f64, f64),
}

impl Drawn {
    pub(crate) fn new(
        (_, pair): Family,
        jobs: usize,
        alternatives: usize,
        between: &mut Between<'_>,
    ) -> Self {
        let mut row = |_| -> Vec<Pair> {
            let volume = between(50.0, 150.0);
            (0..alternatives).map(|_| pair(between, volume)).collect()
        };
        let rows: Vec<Vec<Pair>> = (0..jobs).map(&mut row).collect();
        let weights = (0..jobs).map(|_| between(1.0, 100.0).floor()).collect();
        let sum = |of: fn(f64, f64) -> f64, from: f64, part: fn(&Pair) -> f64| -> f64 {
            rows.iter().map(|row| row.iter().map(part).fold(from, of)).sum()
        };
        let sums = |part| (sum(f64::min, f64::MAX, part), sum(f64::max, 0.0, part));
        Self { weights, costs: sums(|pair| pair.0), times: sums(|pair| pair.1), rows }
    }

    /// A budget and a limit of time, each this share of the way from the smallest to the largest sum.
    pub(crate) fn limits(&self, share: f64) -> [f64; 2] {
        [self.costs, self.times].map(|(least, most)| least + share * (most - least))
    }
}
