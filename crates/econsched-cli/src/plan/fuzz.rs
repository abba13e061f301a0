//! Damaged input gives a clear error or a checked plan, never a panic.

use super::log::LogArgs;
use super::settings::{CriterionName, Settings};
use crate::error::CliError;
use econsched::sched_model::Limit;
use econsched::slot_window::SearchKind;
use econsched::workload_gen::sample::{UniformInt, stream};
use std::path::Path;

const LOG: &[u8] = b"; MaxProcs: 8\n; UnixStartTime: 843480031\n\
1 0 5 120 4 -1 -1 4 600 -1 1 3 1 -1 1 -1 -1 -1\n\
2 10 0 50.5 2 -1 -1 -1 60 -1 1 4 1 -1 1 -1 -1 -1\n\
3 20 300 80 8 -1 -1 8 900 -1 0 3 1 -1 0 -1 -1 -1\n\
4 30 -1 -1 1 -1 -1 1 300 -1 5 5 1 -1 1 -1 2 9\n\
5 40 1000 7 3 -1 -1 3 -1 -1 1 3 1 -1 1 -1 -1 -1\n";

const SCENARIO: &[u8] = br#"{"nodes":[{"id":1,"speed":1,"price":2},{"id":2,"speed":2,"price":5.5},{"id":3,"speed":1.5,"price":0}],
"occupied":[{"node":1,"start":20,"end":60}],"from":0,"horizon":300,
"jobs":[{"id":1,"request":{"nodes":2,"work":60,"price_limit":9,"deadline":290}},
{"id":2,"submit":10,"priority":2,"trade_off":0.25,"user":7,"request":{"nodes":1,"work":40,"budget":500,"min_speed":1.5,"input":3}}]}"#;

const SLOTS: &[u8] = br#"{"slots":[{"node":1,"speed":1,"price":2,"start":0,"end":90},
{"node":2,"speed":2,"price":5,"start":20,"end":90},{"node":1,"speed":1,"price":2,"start":95,"end":200}],
"jobs":[{"id":4,"request":{"nodes":2,"work":30,"budget":300}},{"id":5,"request":{"nodes":1,"work":50}}]}"#;

const EXTREMES: &[&[u8]] = &[
    b"0",
    b"-1",
    b"-0",
    b"1",
    b"7",
    b"0.5",
    b"1e-300",
    b"5e-324",
    b"1e-60",
    b"1e15",
    b"9007199254740993",
    b"1e60",
    b"1e61",
    b"-1e60",
    b"1e308",
    b"1e999",
    b"4294967295",
    b"4294967296",
    b"18446744073709551615",
    b"99999999999999999999",
    b"NaN",
    b"inf",
    b"null",
    b"\"\"",
    b"[]",
    b"{}",
    b"true",
    b"",
];

/// Draws below a bound.
struct Dice(Box<dyn FnMut(u32) -> u32>);

impl Dice {
    fn new(seed: u64) -> Self {
        let mut rng = stream(seed, 0);
        Self(Box::new(move |most| UniformInt::new(0, most).map_or(0, |die| die.sample(&mut rng))))
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.0)((bound.max(1) - 1) as u32) as usize
    }
}

/// The stretch of number characters around a random place, if there is one there.
fn number_at(bytes: &[u8], at: usize) -> Option<std::ops::Range<usize>> {
    let part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'e' | b'+');
    bytes.get(at).filter(|byte| part(byte))?;
    let from = bytes[..at].iter().rposition(|byte| !part(byte)).map_or(0, |before| before + 1);
    let to = bytes[at..].iter().position(|byte| !part(byte)).map_or(bytes.len(), |length| at + length);
    Some(from..to)
}

fn mutate(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.below(bytes.len());
    match dice.below(8) {
        0 => bytes[at] = dice.below(256) as u8,
        1 => bytes.insert(at, dice.below(256) as u8),
        2 => drop(bytes.remove(at)),
        3 => bytes.truncate(at.max(1)),
        4 => {
            let to = (at + dice.below(40)).min(bytes.len());
            let copy = bytes[at..to].to_vec();
            let to = dice.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        // Mostly numbers: extremes get past the parser more often than noise does.
        _ => {
            let from = (0..20).find_map(|_| number_at(bytes, dice.below(bytes.len())));
            if let Some(range) = from {
                bytes.splice(range, EXTREMES[dice.below(EXTREMES.len())].iter().copied());
            }
        }
    }
    if bytes.is_empty() {
        bytes.push(b'{');
    }
}

fn run(bytes: &[u8], dice: &mut Dice, round: usize) -> Result<(), CliError> {
    let args = LogArgs {
        at: None,
        jobs: 4,
        nodes: round.is_multiple_of(2).then_some(9),
        horizon: None,
        price_limit: 1.0,
        seed: 1,
    };
    // Flags for logs are refused beside a scenario.
    let is_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let args = if is_json { LogArgs { nodes: None, ..args } } else { args };
    let scenario = super::parse(bytes, Path::new("fuzz"), &args, round.is_multiple_of(5))?;
    // A header may state a hundred thousand nodes; that is allowed, but slow.
    if scenario.nodes.len() > 5000 {
        return Ok(());
    }
    // The searches that repeat another search take a hundred times as long, so they are tried rarely.
    let kind = match SearchKind::ALL[round % SearchKind::ALL.len()] {
        SearchKind::MultipleBest | SearchKind::MultipleBestRough if dice.below(20) > 0 => SearchKind::Amp,
        kind => kind,
    };
    let criterion = [CriterionName::MinTime, CriterionName::MinCost, CriterionName::MaxIncome][dice.below(3)];
    let limit = [None, None, Some(0.0), Some(100.0), Some(1e60)][dice.below(5)];
    let settings = Settings {
        name: kind.name().to_owned(),
        search: kind.name().to_owned(),
        quick_search: None,
        win_back: false,
        rho: 1.0,
        criterion,
        limit,
        alternatives: 4,
        front: true,
        effort: econsched::joint_plan::Effort::Quick,
        serve: super::goal::Serve::All,
        goal: None,
        within: Limit::default(),
        warm: None,
    };
    let plan = settings.plan(&scenario)?;
    assert!(
        plan.violations.is_empty(),
        "{}: {:?}\n{}",
        kind.name(),
        plan.violations,
        String::from_utf8_lossy(bytes)
    );
    // The text output must work, too.
    if round.is_multiple_of(16) {
        assert!(super::report::text(&scenario, &plan).contains("placed"));
        let svg = super::chart::chart(&scenario, &plan).svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", String::from_utf8_lossy(bytes));
    }
    Ok(())
}

/// As many rounds as `ECONSCHED_FUZZ_ROUNDS` says: `just test-long` takes ten times as many.
#[test]
fn damaged_input_gives_an_error_or_a_checked_plan() {
    let rounds =
        std::env::var("ECONSCHED_FUZZ_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let mut dice = Dice::new(20_111);
    let (mut plans, mut errors) = (0, 0);
    for round in 0..rounds {
        let mut bytes = [LOG, SCENARIO, SLOTS][round % 3].to_vec();
        for _ in 0..=dice.below(3) {
            mutate(&mut bytes, &mut dice);
        }
        match run(&bytes, &mut dice, round) {
            Ok(()) => plans += 1,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                errors += 1;
            }
        }
    }
    println!("{plans} plans, {errors} errors");
    // Both kinds of result must occur, or the mutations test nothing.
    assert!(plans * 10 > rounds && errors * 10 > rounds, "{plans} plans, {errors} errors");
}

#[test]
fn undamaged_input_is_planned() {
    for bytes in [LOG, SCENARIO, SLOTS] {
        run(bytes, &mut Dice::new(1), 1).unwrap();
    }
}
