//! The parts of a check: families and draws. The exact sums of the testkit and of `sched-model` are compared.

use econsched::testkit::{Check, Draw, Family, Fault, Numbers, Seen, drawn, ensure};

/// Numbers must stay below a bound; the function under test says whether they do.
struct Below(fn(usize) -> bool);

impl Family for Below {
    type Case = usize;
    fn draw(draw: &mut Draw) -> usize {
        draw.size(1000)
    }
    fn judge(&self, &case: &usize) -> Result<Seen, Fault> {
        let below = (self.0)(case);
        ensure(below || case < 30, "low", || format!("{case} is not below 30"))?;
        Ok(if below { Seen::solved() } else { Seen::unsolved(case < 30) })
    }
}

#[test]
fn faults_are_found_and_made_small() {
    assert_eq!(Check::new(Below(|_| true)).run(500).unwrap().solved, 500);
    let fault = Check::new(Below(|case| case < 30)).with_seed(3).run(500).unwrap_err();
    assert_eq!((fault.kind, fault.case.as_deref()), ("low", Some("30")));
    let text = format!("{fault:?}");
    assert_eq!(text, format!("low: 30 is not below 30\ncase {}, made small: 30", fault.number.unwrap()));
    let panics = Check::new(Below(|case| 200 / (case / 2) > 0)).run(500).unwrap_err();
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
