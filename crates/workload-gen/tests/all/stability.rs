//! Pinned values: a seed gives the same bytes in every version and on every machine.
//!
//! If a test fails here, generated values, or their form as JSON, have changed. If that is intended, the changelog must
//! say so.
#![cfg(feature = "serde")]

use crate::written;
use rand::Rng;
use serde::Serialize;
use workload_gen::cycle::{JobGenerator, SlotGenerator};
use workload_gen::environment::{EnvironmentGenerator, TruncatedNormal};
use workload_gen::etc::{Consistency, EtcGenerator, EtcMethod};
use workload_gen::internal::{Distribution, Exponential, Gamma, TwoStageUniform, Uniform, UniformInt};
use workload_gen::lublin::{LublinJob, LublinModel};
use workload_gen::meta_broker::MetaBrokerWorkload;
use workload_gen::sample::stream;
use workload_gen::synthetic::LogGenerator;

/// The FNV-1a hash.
fn digest(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    bytes.into_iter().fold(start, |digest, byte| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The hash of a thousand values.
fn thousand<D: Distribution>(distribution: &D) -> u64 {
    let mut rng = stream(42, 1);
    digest((0..1000).flat_map(|_| distribution.sample(&mut rng).to_bits().to_le_bytes()))
}

/// The hash of a value as JSON, in which numbers lose nothing.
fn json<T: Serialize>(value: &T) -> u64 {
    digest(serde_json::to_string(value).unwrap().into_bytes())
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
    let batch = JobGenerator::default().generate(&mut rng).unwrap();
    let environment = EnvironmentGenerator::default().generate(&mut rng).unwrap();
    let log = LogGenerator::default().with_jobs(500).generate(&mut stream(42, 0)).unwrap();
    let lublin = |typed| {
        let jobs = LublinModel::default().with_typed(typed).jobs(stream(42, 0)).unwrap();
        json(&jobs.take(10_000).collect::<Vec<LublinJob>>())
    };
    let etc = |method| {
        let generator = EtcGenerator::new(50, 8, method).with_consistency(Consistency::SemiConsistent);
        json(&generator.generate(&mut stream(42, 0)).unwrap())
    };
    let mut jobs = Vec::new();
    let mut case = |high, consistent| {
        let workload =
            MetaBrokerWorkload::default().with_high_variation(high).with_consistent_prices(consistent);
        let case = workload.generate(&mut stream(42, 0)).unwrap();
        // The same stream gives the same jobs whatever the settings.
        assert!(jobs.is_empty() || jobs == case.jobs);
        jobs.clone_from(&case.jobs);
        json(&case)
    };
    for (name, found, pinned) in [
        ("slots", json(&slots), 9_512_900_654_984_644_954),
        ("jobs", json(&batch), 12_534_420_907_019_764_713),
        ("environment", json(&environment), 8_252_495_609_149_727_935),
        ("log", digest(written(&log).into_bytes()), 1_243_304_841_027_849_635),
        ("lublin", lublin(false), 13_569_081_277_484_187_653),
        ("lublin, typed", lublin(true), 9_835_904_860_869_755_418),
        ("high, high", etc(EtcMethod::HiHi), 1_194_341_111_517_791_461),
        ("high, low", etc(EtcMethod::HiLo), 16_879_264_004_697_790_780),
        ("low, high", etc(EtcMethod::LoHi), 15_890_833_273_372_784_796),
        ("low, low", etc(EtcMethod::LoLo), 1_739_605_747_777_852_740),
        ("gamma", etc(EtcMethod::Cvb), 17_311_617_484_791_229_616),
        ("high variation", case(true, false), 11_531_427_599_462_349_283),
        ("high variation, consistent prices", case(true, true), 15_243_142_608_743_577_487),
        ("low variation", case(false, false), 13_780_269_564_073_581_192),
        ("low variation, consistent prices", case(false, true), 8_127_485_447_834_249_216),
    ] {
        assert_eq!(found, pinned, "{name}");
    }
}
