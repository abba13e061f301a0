//! Pinned values: a seed gives the same bytes in every version and on every machine.
//!
//! A failure here means that generated values changed. If that is meant, the changelog must say so.

use rand::Rng;
use sched_model::{Job, Slot};
use workload_gen::cycle::{JobGenerator, SlotGenerator};
use workload_gen::environment::EnvironmentGenerator;
use workload_gen::etc::{Consistency, EtcGenerator, EtcKind};
use workload_gen::lublin::{LublinKind, LublinModel};
use workload_gen::meta_broker::{MetaBrokerConfiguration, MetaBrokerWorkload};
use workload_gen::sample::{
    Distribution, Exponential, Gamma, Normal, TruncatedNormal, TwoStageUniform, Uniform, UniformInt, stream,
};
use workload_gen::synthetic::LogGenerator;

/// FNV-1a over the bits of the values.
#[derive(Debug)]
struct Digest(u64);

impl Digest {
    fn of(values: impl IntoIterator<Item = f64>) -> u64 {
        let mut digest = Digest(0xcbf2_9ce4_8422_2325);
        values.into_iter().for_each(|value| digest.bytes(&value.to_bits().to_le_bytes()));
        digest.0
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

fn three<D: Distribution>(distribution: &D) -> [f64; 3] {
    let mut rng = stream(42, 0);
    std::array::from_fn(|_| distribution.sample(&mut rng))
}

fn thousand<D: Distribution>(distribution: &D) -> u64 {
    let mut rng = stream(42, 1);
    Digest::of((0..1000).map(|_| distribution.sample(&mut rng)))
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
    let truncated = |low, high| TruncatedNormal::new(0.0, 1.0, low, high).unwrap();
    assert_eq!(
        three(&Uniform::new(-1.0, 3.0).unwrap()),
        [-0.23305535918994602, -0.6354007081096347, 2.872112214197296]
    );
    assert_eq!(
        three(&Normal::new(1.0, 2.0).unwrap()),
        [3.19886959522737, -2.153279206426685, 1.6428296721384783]
    );
    assert_eq!(
        three(&Exponential::new(5.0).unwrap()),
        [1.0643336967948365, 0.4778751007064078, 17.214482170508315]
    );
    assert_eq!(
        three(&Gamma::new(4.2, 0.94).unwrap()),
        [6.069136025755502, 2.2020051634220534, 4.261727775542463]
    );
    assert_eq!(
        three(&Gamma::new(0.5, 1.0).unwrap()),
        [2.0242071982562, 0.007392717071201008, 3.7046247237431804]
    );
    assert_eq!(
        three(&TwoStageUniform::new(0.8, 4.5, 7.0, 0.86).unwrap()),
        [1.137254344998588, 6.307879632099721, 1.729614571696172]
    );
    assert_eq!(three(&truncated(-0.6, 0.6)), [-0.36991660775698376, 0.5616336642591887, -0.5663508755956744]);
    assert_eq!(thousand(&Normal::new(0.0, 1.0).unwrap()), 735_922_168_623_523_779);
    assert_eq!(thousand(&Gamma::new(312.0, 0.03).unwrap()), 14_305_398_883_328_316_554);
    assert_eq!(thousand(&truncated(-1.0, 4.0)), 14_085_919_302_594_536_161);
    assert_eq!(thousand(&truncated(2.0, 9.0)), 18_139_333_356_028_354_684);
    assert_eq!(thousand(&truncated(-2.1, -2.0)), 4_239_947_521_709_400_472);
    let mut rng = stream(42, 0);
    let uniform = UniformInt::new(2, 10).unwrap();
    assert_eq!([0; 6].map(|_| uniform.sample(&mut rng)), [6, 3, 8, 2, 7, 10]);
}

fn slot_values(slot: &Slot) -> [f64; 4] {
    [slot.start().get(), slot.end().get(), slot.speed().get(), slot.price().get()]
}

fn job_values(job: &Job) -> [f64; 8] {
    let request = &job.request;
    [
        job.submit.get(),
        f64::from(job.user.0),
        request.nodes() as f64,
        request.work().get(),
        request.min_speed().get(),
        request.price_limit().map_or(-1.0, |price| price.get()),
        request.input().get(),
        job.trade_off.get(),
    ]
}

#[test]
fn generators() {
    let mut rng = stream(42, 0);
    let slots = SlotGenerator::default().generate(&mut rng).unwrap();
    assert_eq!(slots.len(), 136);
    assert_eq!(
        slots.iter().next().map(slot_values),
        Some([0.0, 225.86731917642382, 2.2097671772777803, 4.020269326808028])
    );
    assert_eq!(Digest::of(slots.iter().flat_map(slot_values)), 16_307_742_754_440_219_108);
    let batch = JobGenerator::default().generate(&mut rng).unwrap();
    assert_eq!(Digest::of(batch.iter().flat_map(job_values)), 17_264_009_480_607_863_749);
    let environment = EnvironmentGenerator::default().generate(&mut rng).unwrap();
    assert_eq!(
        Digest::of(environment.slots().unwrap().iter().flat_map(slot_values)),
        11_966_887_391_491_572_964
    );
    assert_eq!(Digest::of(environment.values), 1_619_832_773_995_425_096);
}

#[test]
fn lublin() {
    let digest = |kind| {
        let jobs = LublinModel::default().with_kind(kind).jobs(stream(42, 0)).unwrap();
        Digest::of(jobs.take(10_000).flat_map(|job| {
            [job.arrival, f64::from(job.size), job.runtime, f64::from(u8::from(job.interactive))]
        }))
    };
    let first = LublinModel::default().jobs(stream(42, 0)).unwrap().next().unwrap();
    assert_eq!((first.arrival, first.size, first.runtime), (1846.7420454341764, 1, 62.0));
    assert_eq!(digest(LublinKind::Whole), 13_812_878_526_011_769_691);
    assert_eq!(digest(LublinKind::Typed), 2_026_207_775_577_476_349);
}

#[test]
fn matrices_and_cases() {
    let digests: Vec<u64> = EtcKind::ALL
        .iter()
        .map(|kind| {
            let generator =
                EtcGenerator::new(50, 8, kind.method()).with_consistency(Consistency::SemiConsistent);
            Digest::of(generator.generate(&mut stream(42, 0)).unwrap().values().iter().copied())
        })
        .collect();
    assert_eq!(
        digests,
        [
            7_850_757_972_805_628_590,
            1_807_286_939_956_279_717,
            818_949_264_996_904_725,
            14_901_517_396_743_850_942,
            7_606_957_926_431_518_178
        ]
    );
    let digests: Vec<u64> = MetaBrokerConfiguration::ALL
        .iter()
        .map(|&configuration| {
            let case = MetaBrokerWorkload::default().generate(configuration, &mut stream(42, 0)).unwrap();
            let jobs = case.jobs.iter().flat_map(job_values);
            Digest::of(jobs.chain(case.etc.values().iter().copied()))
        })
        .collect();
    assert_eq!(
        digests,
        [
            15_932_532_235_618_326_005,
            2_671_606_556_214_622_381,
            2_663_424_238_721_652_840,
            16_304_728_919_261_521_496
        ]
    );
}

#[test]
fn logs() {
    let mut bytes = Vec::new();
    LogGenerator::default().with_jobs(500).generate(&mut stream(42, 0)).unwrap().write(&mut bytes).unwrap();
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    digest.bytes(&bytes);
    assert_eq!(digest.0, 1_243_304_841_027_849_635);
}
