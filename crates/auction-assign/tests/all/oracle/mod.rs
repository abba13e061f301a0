//! Random instances of hard families.

#![allow(dead_code)]

/// SplitMix64.
#[derive(Debug)]
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Whole costs of one of the hard families.
pub fn families(rng: &mut Rng, which: usize, rows: usize, cols: usize) -> Vec<f64> {
    let points: Vec<(f64, f64)> = (0..rows + cols).map(|_| (rng.unit() * 1e4, rng.unit() * 1e4)).collect();
    let factors: Vec<f64> = (0..rows + cols).map(|_| (1 + rng.below(9)) as f64).collect();
    let offsets: Vec<f64> = (0..rows + cols).map(|_| rng.below(10_000) as f64).collect();
    (0..rows * cols)
        .map(|k| {
            let (i, r) = (k / cols, k % cols);
            match which % 12 {
                0 => rng.below(1_000_000) as f64,
                1 => rng.below(4) as f64,
                2 => rng.below(100) as f64 - 50.0,
                3 => ((i + 1) * (r + 1)) as f64,
                4 => {
                    let (a, b) = (points[i], points[rows + r]);
                    (a.0 - b.0).hypot(a.1 - b.1).floor()
                }
                5 => (factors[i] * 2520.0) / factors[rows + r],
                6 => factors[i] * factors[rows + r],
                7 => 7.0,
                8 => 1e12 - rng.below(1_000_000) as f64 * 1e6,
                9 => offsets[i] + offsets[rows + r] + rng.below(10) as f64,
                10 => (rng.unit() * 14.0).exp().floor(),
                _ => f64::from(u8::from(rng.below(5) == 0)),
            }
        })
        .collect()
}
