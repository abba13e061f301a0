//! Families of batches, including hard ones; an example of `batch-dp` measures their times.

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
