//! dev
use auction_assign::*;
struct R(u64);
impl R {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E3779B97F4A7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D049BB133111EB);
        z ^ (z >> 31)
    }
    fn u(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    fn int(&mut self, n: u64) -> f64 {
        (1 + self.next() % n) as f64
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n: usize = args[1].parse().unwrap();
    let m: usize = args[2].parse().unwrap();
    for fam in ["unif", "speed"] {
        let mut r = R(3);
        let c: Vec<f64> = if fam == "unif" {
            (0..n * m).map(|_| r.int(1000000)).collect()
        } else {
            let s: Vec<f64> = (0..m).map(|_| 1.0 + 4.0 * r.u()).collect();
            (0..n)
                .flat_map(|_| {
                    let l = 1.0 + 99.0 * r.u();
                    (0..m).map(|k| (1e4 * (l / s[k] + 20.0 * r.u())).floor()).collect::<Vec<_>>()
                })
                .collect()
        };
        {
            let t = std::time::Instant::now();
            let mut v = vec![f64::MAX; m];
            for row in c.chunks_exact(m) {
                for (a, b) in v.iter_mut().zip(row) {
                    *a = if *b < *a { *b } else { *a };
                }
            }
            let e = t.elapsed();
            println!("one pass {e:?} {}", v[0]);
        }
        for (cn, tot) in [("short", 0.8), ("slack", 2.0), ("tight", 1.0)] {
            let mut caps: Vec<u32> = (0..m).map(|_| (n as f64 / m as f64 * tot) as u32).collect();
            if cn == "tight" {
                let s: u32 = caps.iter().sum();
                caps[0] += n as u32 - s;
            }
            let p = Problem::new(Costs::dense(n, m, &c).unwrap())
                .with_capacities(&caps)
                .unwrap()
                .with_coverage(Coverage::MostJobs);
            for meth in args[3].split(',') {
                let k: AssignerKind = meth.parse().unwrap();
                let mut best = f64::MAX;
                let mut tot = 0.0;
                for _ in 0..3 {
                    let t = std::time::Instant::now();
                    let a = k.build().assign(&p).unwrap();
                    best = best.min(t.elapsed().as_secs_f64() * 1e3);
                    tot = a.assignment().unwrap().total;
                    if best > 1000.0 {
                        break;
                    }
                }
                println!("{n}x{m} {fam} {cn} {meth} {best:.2} ms total {tot}");
            }
        }
    }
}
