//! Generated values, compared with the distributions of their models.
//!
//! Each test has significance 0.001 and a fixed seed, so its result does not change from run to run; the seeds
//! were not selected. Kolmogorov-Smirnov: sqrt(n) * D below 1.95. Chi-square: the upper tail above 0.001.

use sched_model::{NodeId, Slot};
use workload_gen::cycle::{JobGenerator, SlotGenerator};
use workload_gen::environment::TruncatedNormal;
use workload_gen::etc::{EtcGenerator, EtcMethod, Variation};
use workload_gen::internal::{
    Distribution, Exponential, Gamma, TwoStageUniform, Uniform, UniformInt, chance,
};
use workload_gen::lublin::{LublinClass, LublinJob, LublinModel};
use workload_gen::sample::stream;
use workload_gen::synthetic::{LogGenerator, RuntimeEstimate};

const SEED: u64 = 20_110_603;

/// The CDF is evaluated at some 5,000 of the values, so the maximum distance is missed by at most 1/5,000.
fn kolmogorov_smirnov(name: &str, mut values: Vec<f64>, cdf: impl Fn(f64) -> f64) {
    values.sort_unstable_by(f64::total_cmp);
    let n = values.len() as f64;
    let mut distance: f64 = 0.0;
    for (i, &x) in values.iter().enumerate().step_by(values.len().div_ceil(5000)) {
        let p = cdf(x);
        distance = distance.max((p - i as f64 / n).abs()).max(((i + 1) as f64 / n - p).abs());
    }
    assert!(n.sqrt() * distance < 1.95, "{name}: sqrt(n) D = {}", n.sqrt() * distance);
}

/// Cells with few expected values are merged with their neighbours.
fn chi_square(name: &str, observed: &[f64], expected: &[f64]) {
    assert_eq!(observed.len(), expected.len());
    let (seen, meant): (f64, f64) = (observed.iter().sum(), expected.iter().sum());
    assert!((seen - meant).abs() < 1e-6 * seen, "{name}: {seen} seen, {meant} meant");
    let (mut statistic, mut cells) = (0.0, 0);
    let (mut o, mut e) = (0.0, 0.0);
    for (i, (&seen, &meant)) in observed.iter().zip(expected).enumerate() {
        o += seen;
        e += meant;
        let rest: f64 = expected[i + 1..].iter().sum();
        if e >= 20.0 && (rest >= 20.0 || i + 1 == expected.len()) {
            statistic += (o - e) * (o - e) / e;
            cells += 1;
            (o, e) = (0.0, 0.0);
        }
    }
    assert!(cells > 1 && e < 1e-6, "{name}: {cells} cells, {e} left");
    let tail = 1.0 - Gamma::new(f64::from(cells - 1) / 2.0, 2.0).unwrap().cdf(statistic);
    assert!(tail > 0.001, "{name}: chi-square {statistic} over {cells} cells, tail {tail}");
}

/// Compares draws with the CDF.
fn follows<D: Distribution>(name: &str, distribution: &D, cdf: impl Fn(f64) -> f64) {
    let mut rng = stream(SEED, 0);
    let values: Vec<f64> = (0..100_000).map(|_| distribution.sample(&mut rng)).collect();
    kolmogorov_smirnov(name, values, cdf);
}

/// The CDF of the uniform distribution; a constant if the bounds are equal.
fn uniform(low: f64, high: f64) -> impl Fn(f64) -> f64 {
    move |x| if x >= high { 1.0 } else { ((x - low) / (high - low)).clamp(0.0, 1.0) }
}

/// The CDF of the two-stage uniform distribution.
fn two_stage(low: f64, middle: f64, high: f64, p: f64) -> impl Fn(f64) -> f64 {
    move |x| p * uniform(low, middle)(x) + (1.0 - p) * uniform(middle, high)(x)
}

/// The CDF of the standard normal distribution.
fn normal(x: f64) -> f64 {
    0.5 + Gamma::new(0.5, 1.0).unwrap().cdf(0.5 * x * x).copysign(x) / 2.0
}

#[test]
fn samplers_follow_their_distributions() {
    follows("uniform", &Uniform::new(-3.0, 5.0).unwrap(), uniform(-3.0, 5.0));
    follows("exponential", &Exponential::new(7.0).unwrap(), |x| 1.0 - (-x / 7.0).exp());
    let stages = TwoStageUniform::new(0.8, 4.5, 7.0, 0.86).unwrap();
    follows("two-stage uniform", &stages, two_stage(0.8, 4.5, 7.0, 0.86));
    for (shape, scale) in [(0.05, 2.0), (0.7, 1.0), (1.0, 3.0), (1.2346, 0.81), (4.2, 0.94), (312.0, 0.03)] {
        let gamma = Gamma::new(shape, scale).unwrap();
        follows(&format!("gamma {shape}"), &gamma, |x| gamma.cdf(x));
    }
    let truncated = |mean: f64, deviation: f64, low: f64, high: f64| {
        let of = |x: f64| normal((x - mean) / deviation);
        let drawn = TruncatedNormal { mean, deviation, low, high };
        let cdf = |x| (of(x) - of(low)) / (of(high) - of(low));
        follows(&format!("N({mean}, {deviation}) in [{low}, {high}]"), &drawn, cdf);
    };
    // One case for each method of drawing: wide and narrow around the mode, tails on both sides, far and narrow.
    for (low, high) in
        [(-0.6, 0.6), (-4.0, 3.0), (-0.1, 5.0), (0.0, 0.5), (1.0, 9.0), (2.0, 2.1), (-6.0, -3.0)]
    {
        truncated(0.0, 1.0, low, high);
    }
    truncated(1.5, 0.2, 0.9, 2.0);
}

/// Where the CDF has no digits left, the tail must still be nearly exponential with rate a.
#[test]
fn a_far_tail_is_drawn_in_time() {
    let mut rng = stream(SEED, 1);
    let tail = TruncatedNormal { mean: 0.0, deviation: 1.0, low: 100.0, high: 200.0 };
    let values: Vec<f64> = (0..10_000).map(|_| tail.sample(&mut rng) - 100.0).collect();
    // The mean of the tail above a is a + 1/a - 2/a^3 + ...
    let mean = values.iter().sum::<f64>() / 1e4;
    assert!((mean - 0.009_998).abs() < 4.5 * 0.01 / 100.0, "{mean}");
    for (mean, deviation, low, high) in [
        (0.0, 1.0, 1e9, 1e9),
        (0.0, 1.0, 1e9 - 1.0, 1e9),
        (0.0, 1.0, -1e9, -1e9 + 1e-3),
        (0.0, 1.0, -0.0, 0.0),
        (0.0, 1.0, -1e300, 1e300),
        (1e18, 8.54e17, -1.0, 556.6),
        (0.0, 5e-324, 0.0, 1.0),
        (3.0, 1.0, 3.0, 3f64.next_up()),
        (3.0, 1.0, 3f64.next_down(), 3.0),
        (7.0, 0.0, 7.0, 9.0),
    ] {
        let value = TruncatedNormal { mean, deviation, low, high }.sample(&mut rng);
        assert!((low..=high).contains(&value), "N({mean}, {deviation}) in [{low}, {high}]: {value}");
    }
}

#[test]
fn integers_are_unbiased() {
    let mut rng = stream(SEED, 2);
    for (low, high) in [(0, 1), (2, 10), (120, 150), (0, 999)] {
        let uniform = UniformInt::new(low, high).unwrap();
        let mut seen = vec![0.0; (high - low + 1) as usize];
        for _ in 0..200_000 {
            seen[(uniform.sample(&mut rng) - low) as usize] += 1.0;
        }
        let expected = vec![200_000.0 / seen.len() as f64; seen.len()];
        chi_square(&format!("[{low}, {high}]"), &seen, &expected);
    }
    // A range whose bias would show: of 3 * 2^30 values, one in three would be twice as likely as the others.
    let uniform = UniformInt::new(0, 3 * (1 << 30) - 1).unwrap();
    let mut residues = [0.0; 3];
    for _ in 0..100_000 {
        residues[(uniform.sample(&mut rng) % 3) as usize] += 1.0;
    }
    chi_square("residues", &residues, &[1e5 / 3.0; 3]);
    assert!((0..1000).all(|_| !chance(&mut rng, 0.0) && chance(&mut rng, 1.0)));
}

/// The probability of each number of processors on a system of this size.
fn sizes(class: &LublinClass, system: u32) -> Vec<f64> {
    let shift = f64::from(system).log2() - 7.0;
    let high = (class.u_high + shift).max(0.0);
    let low = class.u_low.min(high);
    let log_size = two_stage(low, (class.u_med + shift).clamp(low, high), high, class.u_prob);
    let mut shares = vec![0.0; system as usize + 1];
    shares[1] = class.serial;
    for power in 0..=u32::BITS {
        let mass = log_size(f64::from(power) + 0.5) - log_size(f64::from(power) - 0.5);
        let size = 2_f64.powi(power as i32).min(f64::from(system));
        shares[size as usize] += class.power_of_two * mass;
    }
    let until = |size: u32| match size {
        0 => 0.0,
        size if size == system => 1.0,
        size => log_size((f64::from(size) + 0.5).log2()),
    };
    for size in 1..=system {
        shares[size as usize] += (1.0 - class.serial - class.power_of_two) * (until(size) - until(size - 1));
    }
    shares
}

/// The points of each half hour of the day from midnight, 1 on average. The cyclic day begins at half hour 11, counted
/// from 1: the half hour from 5:00 to 5:30 has the gamma's mass around 11, the one before it the mass around 58.
fn half_hours(class: &LublinClass) -> [f64; 48] {
    let gamma = Gamma::new(class.cycle.0, class.cycle.1).unwrap();
    let all = gamma.cdf(58.5) - gamma.cdf(10.5);
    std::array::from_fn(|bucket| {
        let i = if bucket < 10 { bucket + 49 } else { bucket + 1 } as f64;
        48.0 * (gamma.cdf(i + 0.5) - gamma.cdf(i - 0.5)) / all
    })
}

fn lublin(model: &LublinModel, n: usize) -> Vec<LublinJob> {
    model.jobs(stream(SEED, 3)).unwrap().take(n).collect()
}

/// 500,000 jobs of the whole sample, and as many of each class; sizes on other systems; a clock that starts at
/// another hour.
#[test]
fn lublin_jobs_follow_the_model() {
    let mut model = LublinModel::default();
    let whole = lublin(&model, 500_000);
    check_class("whole", &model.whole, &whole, 0.0);
    for system in [1, 2, 3, 32, 100, 1024, 5000] {
        let mut seen = vec![0.0; system as usize + 1];
        let jobs = lublin(&model.clone().with_system_size(system), 20_000);
        jobs.iter().for_each(|job| seen[job.size as usize] += 1.0);
        let expected: Vec<f64> = sizes(&model.whole, system).iter().map(|share| share * 2e4).collect();
        if system == 1 {
            assert_eq!(seen, [0.0, 2e4]);
        } else {
            chi_square(&format!("sizes up to {system}"), &seen, &expected);
        }
    }
    model.start_hour = 7;
    check_class("from 7:00", &model.whole, &lublin(&model, 500_000), 7.0);
    model.start_hour = 0;
    let typed = lublin(&model.clone().with_typed(true), 500_000);
    assert!(typed.windows(2).all(|pair| pair[0].arrival <= pair[1].arrival));
    let (interactive, batch): (Vec<_>, Vec<_>) = typed.iter().partition(|job| job.interactive);
    assert!(interactive.len().min(batch.len()) > 50_000);
    check_class("batch", &model.batch, &batch, 0.0);
    check_class("interactive", &model.interactive, &interactive, 0.0);
}

/// Compares jobs on 128 processors, on a clock that is 0 at `start` o'clock, with the model.
fn check_class(name: &str, class: &LublinClass, jobs: &[LublinJob], start: f64) {
    let n = jobs.len() as f64;

    let mut seen_sizes = vec![0.0; 129];
    jobs.iter().for_each(|job| seen_sizes[job.size as usize] += 1.0);
    let expected: Vec<f64> = sizes(class, 128).iter().map(|share| share * n).collect();
    chi_square(&format!("{name}: sizes"), &seen_sizes, &expected);

    // Run times, given the sizes: seconds below e^0.25, e^0.5, ... e^12.
    let edges: Vec<f64> = (1..=48).map(|i| (f64::from(i) / 4.0).exp().floor()).collect();
    let mut seen = vec![0.0; 49];
    jobs.iter().for_each(|job| seen[edges.partition_point(|&edge| edge <= job.runtime)] += 1.0);
    let mut expected = vec![0.0; 49];
    let [first, second] = [class.runtime_1, class.runtime_2].map(|(a, b)| Gamma::new(a, b).unwrap());
    for (size, count) in seen_sizes.iter().enumerate().skip(1) {
        let p = (class.p_a * size as f64 + class.p_b).clamp(0.0, 1.0);
        let mixture = |x| p * first.cdf(x) + (1.0 - p) * second.cdf(x);
        let mut before = 0.0;
        for (cell, edge) in edges.iter().enumerate() {
            // floor(e^g) < edge if and only if g < ln(edge).
            let until = mixture(edge.ln().min(class.max_log_runtime)) / mixture(class.max_log_runtime);
            expected[cell] += count * (until - before);
            before = until;
        }
        expected[48] += count * (1.0 - before);
    }
    chi_square(&format!("{name}: run times"), &seen, &expected);

    // Gaps: mapped back through the daily cycle, they are gamma variates.
    let weights = half_hours(class);
    let points = |at: f64| {
        let at = at + 3600.0 * start;
        let (day, second) = ((at / 86_400.0).floor(), at.rem_euclid(86_400.0));
        let bucket = ((second / 1800.0) as usize).min(47);
        let before: f64 = weights[..bucket].iter().sum();
        48.0 * day + before + weights[bucket] * (second / 1800.0 - bucket as f64)
    };
    let positions: Vec<f64> = jobs.iter().map(|job| points(job.arrival)).collect();
    let gaps: Vec<f64> = positions.windows(2).map(|pair| ((pair[1] - pair[0]) * 1800.0).ln()).collect();
    let gap = Gamma::new(class.gap.0 * class.arar, class.gap.1).unwrap();
    let most = gap.cdf(class.max_log_gap);
    kolmogorov_smirnov(&format!("{name}: gaps"), gaps, |g| gap.cdf(g.min(class.max_log_gap)) / most);

    // Hours of the day. Arrivals near each other are correlated, so the error of each share is taken from 100
    // blocks of jobs; 24 tests at 0.001 / 24 each: 4.3 standard errors at 99 degrees of freedom.
    let block = jobs.len() / 100;
    let by_hour = |jobs: &[LublinJob]| {
        let mut counts = [0.0; 24];
        jobs.iter().for_each(|job| counts[(job.arrival / 3600.0 + start) as usize % 24] += 1.0);
        counts.map(|count| count / block as f64)
    };
    let blocks: Vec<[f64; 24]> = jobs.chunks_exact(block).take(100).map(by_hour).collect();
    for hour in 0..24 {
        let share = (weights[2 * hour] + weights[2 * hour + 1]) / 48.0;
        let (mean, variance) = moments(&blocks.iter().map(|shares| shares[hour]).collect::<Vec<_>>());
        let error = (variance / 100.0).sqrt();
        let near = (mean - share).abs() < 4.3 * error;
        assert!(near, "{name}: hour {hour} has {mean}, not {share} (+- {error})");
        // The test can fail: the errors are small against the shares of busy hours.
        assert!(share < 0.03 || error < 0.05 * share, "{name}: hour {hour}, error {error}");
    }
}

/// Without rounding and cap, the accuracy of a requested time is 1 for the stated share of jobs, else uniform.
#[test]
fn requested_times_have_the_accuracy_asked_for() {
    let exact = RuntimeEstimate::Accuracy { exact: 0.15 };
    let mut generator = LogGenerator::default().with_jobs(50_000).with_estimate(exact);
    (generator.round_values, generator.max_estimate) = (Vec::new(), 1e60);
    let log = generator.generate(&mut stream(SEED, 6)).unwrap();
    // For jobs of an hour and more, rounding up to whole seconds is negligible.
    let long = log.records.iter().filter(|record| record.runtime.unwrap() > 3600.0);
    let mut seen = [0.0; 5];
    for accuracy in long.map(|record| record.runtime.unwrap() / record.requested_time.unwrap()) {
        seen[[0.25, 0.5, 0.75, 0.9997].partition_point(|&edge| edge <= accuracy)] += 1.0;
    }
    let n: f64 = seen.iter().sum();
    chi_square("accuracy", &seen, &[0.2125, 0.2125, 0.2125, 0.2125, 0.15].map(|share| share * n));
}

#[test]
fn slots_and_jobs_are_uniform_in_their_ranges() {
    let mut rng = stream(SEED, 4);
    let limited = |factor| {
        let mut generator = JobGenerator::default();
        generator.price_limit_factor = factor;
        generator
    };
    let (mut lengths, mut speeds, mut factors, mut steps) = (vec![], vec![], vec![], vec![]);
    let (mut counts, mut works) = ([0.0; 31], vec![]);
    for _ in 0..1000 {
        let slots: Vec<Slot> = SlotGenerator::default().generate(&mut rng).unwrap().into();
        counts[slots.len() - 120] += 1.0;
        assert!(slots.iter().zip(0..).all(|(slot, id)| slot.node == NodeId(id)));
        lengths.extend(slots.iter().map(|slot| (slot.end - slot.start).get()));
        speeds.extend(slots.iter().map(|slot| slot.speed.get()));
        factors.extend(slots.iter().map(|slot| slot.price.get() / 1.7_f64.powf(slot.speed.get())));
        steps.extend(slots.windows(2).map(|pair| pair[1].start.get() - pair[0].start.get()));
        let batch = limited(Some(0.7)).generate(&mut rng).unwrap();
        assert!((3..=7).contains(&batch.len()));
        for job in &batch {
            let (request, speed) = (&job.request, job.request.min_speed.get());
            assert!((1..=6).contains(&request.nodes()) && (1.0..=2.0).contains(&speed));
            assert!((request.price_limit.unwrap().get() - 0.7 * 1.7_f64.powf(speed)).abs() < 1e-12);
            works.push(request.work().get());
        }
    }
    let pairs = steps.len() as f64;
    let gaps: Vec<f64> = steps.into_iter().filter(|&step| step > 0.0).collect();
    let apart = gaps.len() as f64;
    // Values lie in the range, up to rounding, and are uniform there.
    let even = |name, values: Vec<f64>, low: f64, high: f64| {
        assert!(values.iter().all(|value| (low - 1e-6..=high + 1e-6).contains(value)), "{name}");
        kolmogorov_smirnov(name, values, uniform(low, high));
    };
    even("lengths", lengths, 50.0, 300.0);
    even("speeds", speeds, 1.0, 3.0);
    even("price factors", factors, 0.75, 1.25);
    even("gaps", gaps, 0.0, 10.0);
    even("work", works, 50.0, 150.0);
    chi_square("equal starts", &[pairs - apart, apart], &[0.4 * pairs, 0.6 * pairs]);
    chi_square("slots", &counts, &[1000.0 / 31.0; 31]);
    let free = limited(None).generate(&mut rng).unwrap();
    assert!(free.iter().all(|job| job.request.price_limit.is_none()));
    let mut whole = SlotGenerator::default();
    (whole.whole_times, whole.whole_speeds) = (true, true);
    for slot in whole.generate(&mut rng).unwrap().iter() {
        let numbers = [slot.start.get(), (slot.end - slot.start).get(), slot.speed.get()];
        assert_eq!(numbers.map(f64::fract), [0.0; 3]);
    }
}

/// Mean, and variance as of a sample.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0))
}

#[test]
fn etc_matrices_follow_their_methods() {
    let mut rng = stream(SEED, 5);
    let times: Vec<f64> = (1..=2000).map(f64::from).collect();
    let mut given = |variation: Variation, of: fn(f64, f64) -> f64| -> Vec<f64> {
        let etc = variation.etc(&times, 50, &mut rng).unwrap();
        etc.values().iter().enumerate().map(|(at, value)| of(*value, times[at / 50])).collect()
    };
    let gamma = Gamma::new(1.0 / 0.81, 0.81).unwrap();
    let relative = given(Variation::Gamma { cov: 0.9 }, |value, time| value / time);
    kolmogorov_smirnov("given means", relative, |x| gamma.cdf(x));
    let above = given(Variation::Uniform { deviation: 20.0 }, |value, time| value - time);
    kolmogorov_smirnov("low variation", above, uniform(0.0, 20.0 * 12.0_f64.sqrt()));

    // Mean and coefficient of variation of whole matrices of 20,000 x 20, transposed if `by_machine`.
    for (rows, cols, by_machine) in [(20_000, 20, false), (20, 20_000, true)] {
        let (mean, task_cov, machine_cov) = (50.0, 0.3, 0.6);
        let method = EtcMethod::Gamma { mean, task_cov, machine_cov, by_machine };
        let etc = EtcGenerator::new(rows, cols, method).generate(&mut rng).unwrap();
        let (average, variance) = moments(etc.values());
        let cv2 = (1.0 + 0.3_f64.powi(2)) * (1.0 + 0.6_f64.powi(2)) - 1.0;
        // A mean over 20,000 values of coefficient c has an error of c / 141.
        assert!((average / 50.0 - 1.0).abs() < 4.5 * 0.6 / 141.0, "{average}");
        assert!((variance / (average * average) / cv2 - 1.0).abs() < 0.05, "{variance}");
        // The coefficient along each row (or column, by machine) is the inner one of the two, on average.
        let line = |a: usize| (0..20).map(move |b| if by_machine { (b, a) } else { (a, b) });
        let line = |a: usize| line(a).map(|(row, col)| etc[row][col]).collect::<Vec<f64>>();
        let squares = (0..20_000).map(|a| moments(&line(a)).1).sum::<f64>() / 20_000.0;
        let (across, along) = if by_machine { (machine_cov, task_cov) } else { (task_cov, machine_cov) };
        let expected = along * along * (1.0 + across * across) * mean * mean;
        assert!((squares / expected - 1.0).abs() < 0.05, "{squares} and {expected}");
    }

    // Range-based matrices: the published means, and a uniform factor within a row.
    for (method, task, machine) in [
        (EtcMethod::HiHi, 3000.0, 1000.0),
        (EtcMethod::HiLo, 3000.0, 10.0),
        (EtcMethod::LoHi, 100.0, 1000.0),
        (EtcMethod::LoLo, 100.0, 10.0),
    ] {
        let etc = EtcGenerator::new(50_000, 4, method).generate(&mut rng).unwrap();
        let average = moments(etc.values()).0;
        let expected = (1.0 + task) * (1.0 + machine) / 4.0;
        assert!((average / expected - 1.0).abs() < 4.5 * 0.66 / 223.0, "{method:?}: {average}, {expected}");
        // Second over first machine of a row is the ratio of two uniforms: above 1 half of the time.
        let above = (0..50_000).filter(|&i| etc[i][1] > etc[i][0]).count() as f64;
        chi_square("ratio", &[above, 50_000.0 - above], &[25_000.0, 25_000.0]);
    }
}

/// The CDF of gamma distributions, and of the normal one by it, compared with closed forms, in tails, and at shapes so
/// small that nearly all mass is at 0.
#[test]
fn gammas_of_known_values() {
    let gamma = |shape: f64, x: f64| Gamma::new(shape, 1.0).unwrap().cdf(x);
    // For a whole shape k the CDF is 1 - e^-x (1 + x + x^2 / 2 + ... ), with k terms.
    for (shape, close) in [(1.0_f64, 1e-14), (2.0, 1e-13), (3.0, 1e-13), (10.0, 1e-13)] {
        for x in [0.01, 0.1, 0.5, 1.0, 1.99, 2.01, 3.9, 4.1, 5.0, 12.0, 30.0_f64] {
            let (mut term, mut sum) = (1.0, 0.0);
            for k in 1..=shape as u32 {
                sum += term;
                term *= x / f64::from(k);
            }
            assert!((gamma(shape, x) - (1.0 - (-x).exp() * sum)).abs() < close, "{shape}, {x}");
        }
    }
    assert!((normal(1.96) - 0.975_002_104_851_779_5).abs() < 1e-13);
    assert!((normal(-1.0) - 0.158_655_253_931_457_05).abs() < 1e-13);
    for (shape, x, exact) in [
        (0.5, 5e307, 1.0),
        (312.0, 1.2e61, 1.0),
        (1e5, 1e-300, 0.0),
        (5e-324, 5e-59, 1.0),
        (5e-324, 1e-307, 1.0),
        (1e-308, 1e-9, 1.0),
    ] {
        assert!((gamma(shape, x) - exact).abs() < 1e-12, "{shape}, {x}: {}", gamma(shape, x));
    }
    assert!((gamma(312.0, 312.0) - 0.507_528).abs() < 1e-5);
    // Where one form replaces the other, and far beyond, the CDF lies in [0, 1] and rises.
    for deviations in [-3.0, -1.0, 0.0, 0.5, 2.0] {
        let at = |shape: f64| gamma(shape, shape + deviations * shape.sqrt());
        assert!((at(0.999e6) - at(1.001e6)).abs() < 1e-6, "{deviations}");
        // The argument itself is rounded to 16384.
        assert!((at(1e20) - normal(deviations)).abs() < 1e-6, "{deviations}");
    }
    for shape in [1e9, 1e16, 1e200, 1e308] {
        assert_eq!((gamma(shape, shape * 0.5), gamma(shape, shape * 1.5)), (0.0, 1.0), "{shape}");
        assert!((gamma(shape, shape) - 0.5).abs() < 1e-4, "{shape}");
        assert_eq!(gamma(shape, 12.0), 0.0, "{shape}");
    }
    assert_eq!((gamma(5e-324, 1.0), gamma(1e-308, 1e308)), (1.0, 1.0));
}
