//! Pinned values: a seed gives the same bytes in every version and on every machine.
//!
//! If a test fails here, generated values have changed. If that is intended, the changelog must say so.

use rand::Rng;
use sched_model::{Job, Slot};
use workload_gen::cycle::{JobGenerator, SlotGenerator};
use workload_gen::environment::{EnvironmentGenerator, TruncatedNormal};
use workload_gen::etc::{Consistency, EtcGenerator, EtcMethod};
use workload_gen::internal::{Distribution, Exponential, Gamma, TwoStageUniform, Uniform, UniformInt};
use workload_gen::lublin::LublinModel;
use workload_gen::meta_broker::MetaBrokerWorkload;
use workload_gen::sample::stream;
use workload_gen::synthetic::LogGenerator;

/// The FNV-1a hash.
fn digest(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    bytes.into_iter().fold(start, |digest, byte| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn of_numbers(values: impl IntoIterator<Item = f64>) -> u64 {
    digest(values.into_iter().flat_map(|value| value.to_bits().to_le_bytes()))
}

fn thousand<D: Distribution>(distribution: &D) -> u64 {
    let mut rng = stream(42, 1);
    of_numbers((0..1000).map(|_| distribution.sample(&mut rng)))
}

fn slot_values(slot: &Slot) -> [f64; 4] {
    [slot.start.get(), slot.end.get(), slot.speed.get(), slot.price.get()]
}

fn job_values(job: &Job) -> [f64; 8] {
    let request = &job.request;
    [
        job.submit.get(),
        f64::from(job.user.0),
        request.nodes() as f64,
        request.work().get(),
        request.min_speed.get(),
        request.price_limit.map_or(-1.0, |price| price.get()),
        request.input.get(),
        job.trade_off.get(),
    ]
}

#[test]
fn streams() {
    let two = |seed, replicate| {
        let mut rng = stream(seed, replicate);
        [rng.next_u64(), rng.next_u64()]
    };
    assert_eq!(two(0, 0), [13_804_888_775_535_289_832, 4_211_859_015_901_796_865]);
    assert_eq!(two(42, 7), [3_822_459_529_237_854_166, 8_688_307_332_784_605_643]);
    assert_eq!(two(u64::MAX, u64::MAX), [6_544_857_591_747_654_707, 17_911_136_270_117_113_854]);
}

#[test]
fn samplers() {
    let truncated = |low, high| thousand(&TruncatedNormal { mean: 0.0, deviation: 1.0, low, high });
    for (name, found, pinned) in [
        ("uniform", thousand(&Uniform::new(-1.0, 3.0).unwrap()), 3_828_872_845_221_414_680),
        ("exponential", thousand(&Exponential::new(5.0).unwrap()), 3_994_224_775_301_680_205),
        ("gamma 0.5", thousand(&Gamma::new(0.5, 1.0).unwrap()), 3_289_269_732_337_529_781),
        ("gamma 4.2", thousand(&Gamma::new(4.2, 0.94).unwrap()), 18_204_446_025_467_303_858),
        ("gamma 312", thousand(&Gamma::new(312.0, 0.03).unwrap()), 14_305_398_883_328_316_554),
        (
            "two stages",
            thousand(&TwoStageUniform::new(0.8, 4.5, 7.0, 0.86).unwrap()),
            4_120_477_166_431_594_621,
        ),
        ("narrow", truncated(-0.6, 0.6), 1_572_052_990_255_363_875),
        ("wide", truncated(-1.0, 4.0), 14_085_919_302_594_536_161),
        ("tail", truncated(2.0, 9.0), 18_139_333_356_028_354_684),
        ("narrow tail", truncated(-2.1, -2.0), 4_239_947_521_709_400_472),
    ] {
        assert_eq!(found, pinned, "{name}");
    }
    let mut rng = stream(42, 0);
    let uniform = UniformInt::new(2, 10).unwrap();
    assert_eq!([0; 6].map(|_| uniform.sample(&mut rng)), [6, 3, 8, 2, 7, 10]);
}

#[test]
fn generators() {
    let mut rng = stream(42, 0);
    let slots = SlotGenerator::default().generate(&mut rng).unwrap();
    assert_eq!(slots.len(), 136);
    let first = [0.0, 225.86731917642382, 2.2097671772777803, 4.020269326808028];
    assert_eq!(slots.iter().next().map(slot_values), Some(first));
    assert_eq!(of_numbers(slots.iter().flat_map(slot_values)), 16_307_742_754_440_219_108);
    let batch = JobGenerator::default().generate(&mut rng).unwrap();
    assert_eq!(of_numbers(batch.iter().flat_map(job_values)), 17_264_009_480_607_863_749);
    let environment = EnvironmentGenerator::default().generate(&mut rng).unwrap();
    let free = &environment.slots;
    assert_eq!(of_numbers(free.iter().flat_map(slot_values)), 11_966_887_391_491_572_964);
    assert_eq!(of_numbers(environment.values), 1_619_832_773_995_425_096);
    let mut bytes = Vec::new();
    let log = LogGenerator::default().with_jobs(500).generate(&mut stream(42, 0)).unwrap();
    workload_gen::swf::write(&mut bytes, &log.header, &log.records).unwrap();
    assert_eq!(digest(bytes), 1_243_304_841_027_849_635);
}

#[test]
fn lublin() {
    let first = LublinModel::default().jobs(stream(42, 0)).unwrap().next().unwrap();
    assert_eq!((first.arrival, first.size, first.runtime), (1846.7420454341764, 1, 62.0));
    for (typed, pinned) in [(false, 13_812_878_526_011_769_691), (true, 2_026_207_775_577_476_349)] {
        let jobs = LublinModel::default().with_typed(typed).jobs(stream(42, 0)).unwrap();
        let values = jobs.take(10_000).flat_map(|job| {
            [job.arrival, f64::from(job.size), job.runtime, f64::from(u8::from(job.interactive))]
        });
        assert_eq!(of_numbers(values), pinned, "{typed}");
    }
}

#[test]
fn matrices_and_cases() {
    let methods = [EtcMethod::HiHi, EtcMethod::HiLo, EtcMethod::LoHi, EtcMethod::LoLo, EtcMethod::Cvb];
    let matrices = methods.into_iter().map(|method| {
        let generator = EtcGenerator::new(50, 8, method).with_consistency(Consistency::SemiConsistent);
        of_numbers(generator.generate(&mut stream(42, 0)).unwrap().values().iter().copied())
    });
    #[rustfmt::skip]
    assert_eq!(matrices.collect::<Vec<_>>(), [
        7_850_757_972_805_628_590, 1_807_286_939_956_279_717, 818_949_264_996_904_725,
        14_901_517_396_743_850_942, 7_606_957_926_431_518_178,
    ]);
    // The same stream gives the same jobs whatever the settings.
    let mut jobs = Vec::new();
    let settings = [(true, false), (true, true), (false, false), (false, true)];
    let cases = settings.into_iter().map(|(high, consistent)| {
        let workload =
            MetaBrokerWorkload::default().with_high_variation(high).with_consistent_prices(consistent);
        let case = workload.generate(&mut stream(42, 0)).unwrap();
        assert!(jobs.is_empty() || jobs == case.jobs);
        jobs.clone_from(&case.jobs);
        of_numbers(case.jobs.iter().flat_map(job_values).chain(case.etc.values().iter().copied()))
    });
    #[rustfmt::skip]
    assert_eq!(cases.collect::<Vec<_>>(), [
        15_932_532_235_618_326_005, 2_671_606_556_214_622_381,
        2_663_424_238_721_652_840, 16_304_728_919_261_521_496,
    ]);
}
