//! Charges of decimals, against whole numbers.

use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure, part};
use econsched::sched_model::{Money, Price, Rounding, Span, Tariff};
use serde::{Deserialize, Serialize};

pub(crate) struct Tariffs;

/// `units` times 10^-`places`.
#[derive(Serialize, Deserialize, Clone, Copy)]
struct Decimal {
    units: u64,
    places: u32,
}

impl Decimal {
    fn draw(rng: &mut Rng, digits: u32) -> Self {
        let most = 10u64.pow(rng.range(1, digits as usize) as u32);
        Self { units: rng.below(most as usize) as u64, places: rng.below(5) as u32 }
    }

    /// The double that its decimal text is read as.
    fn read(self) -> f64 {
        format!("{}e-{}", self.units, self.places).parse().unwrap_or(0.0)
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    price: Decimal,
    span: Decimal,
    increment: Option<Decimal>,
    up: bool,
    fee: u64,
    least: u64,
}

impl Target for Tariffs {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        // 14 digits in all.
        let digits = rng.range(2, 12) as u32;
        let increment = rng.percent(50).then(|| Decimal::draw(rng, 3));
        Case {
            price: Decimal::draw(rng, if increment.is_some() { 4 } else { 14 - digits }),
            span: Decimal::draw(rng, if increment.is_some() { 7 } else { digits }),
            increment,
            up: rng.percent(60),
            fee: rng.below(4) as u64,
            least: rng.below(9) as u64,
        }
    }

    fn judge(case: &Case) -> Verdict {
        let rounding = if case.up { Rounding::Up } else { Rounding::Nearest };
        let mut tariff = Tariff::default().with_digits(2, rounding);
        // The billed span as a fraction: units of the increment's or the span's last place.
        let (mut billed, mut places) = (u128::from(case.span.units), case.span.places);
        if let Some(increment) = case.increment {
            tariff = part(tariff.with_increment(part(Span::new(increment.read()))?))?;
            let common = case.span.places.max(increment.places);
            let span = u128::from(case.span.units) * 10u128.pow(common - case.span.places);
            let step = u128::from(increment.units) * 10u128.pow(common - increment.places);
            (billed, places) = (span.div_ceil(step) * step, common);
        }
        tariff = part(tariff.with_entry_fee(Money::must(case.fee as f64)))?;
        tariff = part(tariff.with_least_charge(Money::must(case.least as f64)))?;
        let scale = 10u128.pow(places + case.price.places);
        let product = billed * u128::from(case.price.units);
        let usage = if case.up { product.div_ceil(scale) } else { (2 * product + scale) / (2 * scale) };
        let expected = (usage + u128::from(case.fee)).max(u128::from(case.least)) as f64;
        let (price, span) = (part(Price::new(case.price.read()))?, part(Span::new(case.span.read()))?);
        let charge = tariff.charge(price, span).get();
        ensure!(charge == expected, "the charge is not that of the decimals: {charge:?}, but {expected:?}");
        // Monotone, to the last bit.
        for (dearer, longer) in [(price.get().next_up(), span.get()), (price.get(), span.get().next_up())] {
            let more = tariff.charge(part(Price::new(dearer))?, part(Span::new(longer))?).get();
            ensure!(more >= charge, "more costs less: {more:?} < {charge:?}");
        }
        Ok(())
    }
}
