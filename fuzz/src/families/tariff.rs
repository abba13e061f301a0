//! Charges of decimals, against whole numbers.

use crate::family::{Judged, Verdict, ensure, part, seen};
use econsched::sched_model::{Money, Price, Rounding, Span, Tariff};
use econsched::testkit::{Draw, Family};
use serde::{Deserialize, Serialize};

#[derive(Default)]
pub(super) struct Tariffs;

/// `units` times 10^-`places`.
#[derive(Serialize, Deserialize, Clone, Copy)]
struct Decimal {
    units: u64,
    places: u32,
}

impl Decimal {
    fn draw(draw: &mut Draw, digits: u32) -> Self {
        let most = 10_usize.pow(draw.between(1, digits as usize) as u32);
        Self { units: draw.below(most) as u64, places: draw.below(5) as u32 }
    }

    /// The double that its decimal text is read as.
    fn read(self) -> f64 {
        format!("{}e-{}", self.units, self.places).parse().unwrap_or(0.0)
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct Case {
    price: Decimal,
    span: Decimal,
    increment: Option<Decimal>,
    up: bool,
    fee: u64,
    least: u64,
}

impl Family for Tariffs {
    type Case = Case;

    fn draw(draw: &mut Draw) -> Case {
        // 14 digits in all.
        let digits = draw.between(2, 12) as u32;
        let mut increment = draw.chance(50).then(|| Decimal::draw(draw, 3));
        increment.iter_mut().for_each(|increment| increment.units = increment.units.max(1));
        let (price, span) = if increment.is_some() { (4, 7) } else { (14 - digits, digits) };
        let (price, span) = (Decimal::draw(draw, price), Decimal::draw(draw, span));
        let up = draw.chance(60);
        Case { price, span, increment, up, fee: draw.below(4) as u64, least: draw.below(9) as u64 }
    }

    fn judge(&self, case: &Case) -> Judged {
        seen(judge(case))
    }
}

fn judge(case: &Case) -> Verdict {
    let rounding = if case.up { Rounding::Up } else { Rounding::Nearest };
    let mut tariff = Tariff::default().with_digits(2, rounding);
    // The billed span as a fraction: units of the increment's or the span's last place.
    let (mut billed, mut places) = (u128::from(case.span.units), case.span.places);
    if let Some(increment) = case.increment {
        tariff = part(tariff.with_increment(part(Span::new(increment.read()))?))?;
        places = case.span.places.max(increment.places);
        let scaled = |of: Decimal| u128::from(of.units) * 10u128.pow(places - of.places);
        billed = scaled(case.span).div_ceil(scaled(increment)) * scaled(increment);
    }
    tariff = tariff.with_entry_fee(Money::must(case.fee as f64))?;
    tariff = tariff.with_least_charge(Money::must(case.least as f64))?;
    let scale = 10u128.pow(places + case.price.places);
    let product = billed * u128::from(case.price.units);
    let usage = if case.up { product.div_ceil(scale) } else { (2 * product + scale) / (2 * scale) };
    let expected = (usage + u128::from(case.fee)).max(u128::from(case.least)) as f64;
    let (price, span) = (Price::new(case.price.read())?, Span::new(case.span.read())?);
    let charge = tariff.charge(price, span).get();
    ensure!(charge == expected, "the charge is {charge:?}, of the decimals {expected:?}");
    // Monotone, to the last bit.
    for (dearer, longer) in [(price.get().next_up(), span.get()), (price.get(), span.get().next_up())] {
        let more = tariff.charge(Price::new(dearer)?, Span::new(longer)?).get();
        ensure!(more >= charge, "more costs less: {more:?} < {charge:?}");
    }
    Ok(())
}
