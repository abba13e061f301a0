//! The parts of a check: families, draws and exact sums.

use econsched::testkit::{Check, Draw, Exact, Family, Fault, Numbers, Seen, drawn, ensure, rounded_sum};

/// Whether numbers keep below what is asked, as what is tested says.
struct Below(fn(usize) -> Option<bool>);

impl Family for Below {
    type Case = usize;
    fn draw(draw: &mut Draw) -> usize {
        draw.size(1000)
    }
    fn judge(&self, &case: &usize) -> Result<Seen, Fault> {
        let Some(below) = (self.0)(case) else { return Ok(Seen::skipped()) };
        ensure(below || case < 30, "low", || format!("{case} is not below 30"))?;
        Ok(if below { Seen::solved() } else { Seen::unsolved(case < 30) })
    }
}

#[test]
fn faults_are_found_and_made_small() {
    assert_eq!(Check::new(Below(|_| Some(true))).run(500).unwrap().solved, 500);
    let fault = Check::new(Below(|case| Some(case < 30))).with_seed(3).run(500).unwrap_err();
    assert_eq!((fault.kind, fault.case.as_deref()), ("low", Some("30")));
    let text = format!("{fault:?}");
    assert_eq!(text, format!("low: 30 is not below 30\ncase {}, made small: 30", fault.number.unwrap()));
    let panics = Check::new(Below(|case| Some(200 / (case / 2) > 0))).run(500).unwrap_err();
    assert_eq!(panics.kind, "panic");
    assert!(panics.message.contains("divide by zero"), "{panics}");
}

#[test]
#[should_panic(expected = "30 is not below 30")]
fn a_property_is_asserted_of_the_smallest_case_at_last() {
    drawn(500, |draw| {
        let size = draw.size(1000);
        assert!(size < 30, "{size} is not below 30");
    });
}

#[test]
fn nothing_found_or_taken_is_a_fault() {
    assert_eq!(Check::new(Below(|_| None)).run(5).unwrap_err().kind, "takes nothing");
    let lazy = Check::new(Below(|case| (case < 30).then_some(false)));
    assert_eq!(lazy.run(100).unwrap_err().kind, "finds nothing");
    assert_eq!(lazy.run(0).unwrap(), Seen::default());
}

#[test]
fn a_corpus_comes_first() {
    let check = Check::new(Below(|case| Some(case < 700))).with_corpus(["5", "900"]);
    let fault = check.run(0).unwrap_err();
    assert_eq!((fault.case.as_deref(), fault.number), (Some("900"), None));
    assert_eq!(check.with_corpus(["\"five\""]).run(0).unwrap_err().kind, "malformed");
}

#[test]
fn the_same_bytes_make_the_same_case() {
    for case in 0..300 {
        let mut drawn = Draw::new(5, case);
        let numbers = Numbers::any(&mut drawn);
        let values: Vec<f64> = (0..drawn.size(300)).map(|_| numbers.draw(&mut drawn)).collect();
        let mut again = Draw::of_bytes(drawn.taken());
        assert_eq!(Numbers::any(&mut again), numbers);
        assert_eq!(again.size(300), values.len());
        assert!(values.iter().all(|&value| value >= 0.0 && numbers.draw(&mut again) == value));
        assert_eq!(again.taken(), drawn.taken());
    }
}

#[test]
fn one_number_rounds_to_itself() {
    let mut draw = Draw::new(1, 0);
    for _ in 0..20_000 {
        let value = f64::from_bits(draw.bytes(8));
        if value.is_finite() {
            assert_eq!(rounded_sum([value]), value, "{value:e}");
            assert_eq!(rounded_sum([value, 1e300, -1e300, f64::MIN_POSITIVE, -f64::MIN_POSITIVE]), value);
        }
    }
}

#[test]
fn two_numbers_round_as_the_processor_does() {
    let mut draw = Draw::new(2, 0);
    for _ in 0..20_000 {
        let bits = draw.bytes(8);
        let one = f64::from_bits(bits & !(3 << 61) | 1 << 61);
        let two = beside_exponent(&mut draw, one);
        assert_eq!(rounded_sum([one, two]), one + two, "{one:e} + {two:e}");
        assert_eq!(Exact::of([one]).cmp(&Exact::of([two])), one.total_cmp(&two));
    }
}

fn beside_exponent(draw: &mut Draw, value: f64) -> f64 {
    let scale = 2f64.powi(draw.between(0, 120) as i32 - 60);
    value * scale * (1.0 + draw.unit()) * if draw.chance(50) { 1.0 } else { -1.0 }
}

#[test]
fn ties_go_to_the_even_neighbour() {
    let half = 2f64.powi(-53);
    assert_eq!(rounded_sum([1.0, half]), 1.0);
    assert_eq!(rounded_sum([1.0, half, f64::from_bits(1)]), 1.0 + f64::EPSILON);
    assert_eq!(rounded_sum([1.0 + f64::EPSILON, half]), 1.0 + 2.0 * f64::EPSILON);
    assert_eq!(rounded_sum([0.1; 10]), 1.0);
}
