//! A family of the testkit behind pointers.

use crate::judge::{Verdict, part};
use econsched::testkit::{Check, Draw, Family, Fault, Seen};
use std::time::{Duration, Instant};

pub(crate) type Attack = fn(Draw, &dyn Fn(&Fault)) -> Verdict<Seen>;

#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// What is attacked, and how it is judged.
    pub(crate) about: &'static str,
    /// Cases for every ten asked for: cheap families get more, those of large cases less than one.
    pub(crate) share: usize,
    /// Judges the case that is drawn. A fault is told as it is found, and returned made small.
    pub(crate) attack: Attack,
    /// The case that is drawn, as it stands in a file.
    pub(crate) show: fn(Draw) -> String,
    /// Judges a case of a file.
    pub(crate) replay: fn(&str) -> Verdict<Seen>,
}

impl Entry {
    pub(crate) const fn of<F: Family + Default>(
        name: &'static str,
        share: usize,
        about: &'static str,
    ) -> Self {
        Self {
            name,
            about,
            share,
            attack: attack::<F>,
            show: |mut draw| serde_json::to_string(&F::draw(&mut draw)).unwrap_or_default(),
            replay: |text| {
                let case = part(serde_json::from_str(text))?;
                Check::new(F::default()).judge(&case)
            },
        }
    }
}

fn attack<F: Family + Default>(mut draw: Draw, tell: &dyn Fn(&Fault)) -> Verdict<Seen> {
    let check = Check::new(F::default());
    let fault = match check.judge(&F::draw(&mut draw)) {
        Err(fault) if fault.kind != "malformed" => fault,
        Err(_) => return Ok(Seen::skipped()),
        seen => return seen,
    };
    tell(&fault);
    let end = Instant::now() + Duration::from_secs(5);
    Err(check.smaller(draw.taken(), fault, 5000, || Instant::now() < end))
}
