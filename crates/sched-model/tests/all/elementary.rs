//! Elementary functions, compared with those of the platform.

use sched_model::internal::{atan, exp, ln, pow};
use std::f64::consts::FRAC_PI_2;

/// The platform's functions are an independent oracle.
#[test]
fn near_the_platform() {
    let mut x = 1e-320;
    while x < 1e308 {
        assert!((ln(x) - x.ln()).abs() <= 4e-16 * x.ln().abs().max(1e-300), "ln {x}");
        x *= 1.0137;
    }
    for i in 0..200_000 {
        let x = 0.9 + f64::from(i) * 1e-6;
        assert!((ln(x) - x.ln()).abs() <= 5e-16 * x.ln().abs(), "ln {x}");
        let x = -745.0 + f64::from(i) * 0.007_27;
        // The error is absolute near the subnormal numbers, and relative elsewhere.
        assert!((exp(x) - x.exp()).abs() <= 5e-16 * x.exp() + 5e-324, "exp {x}");
    }
    assert!((pow(1.7, 2.5) - 1.7_f64.powf(2.5)).abs() < 1e-14);
    for i in -300..=300 {
        let x = f64::from(i).powi(5) * 1e-7;
        assert!((atan(x) - x.atan()).abs() <= 1e-15 * x.atan().abs(), "atan {x}");
    }
}

#[test]
fn ends() {
    assert_eq!(ln(1.0), 0.0);
    assert_eq!(ln(0.0), f64::NEG_INFINITY);
    assert_eq!(ln(f64::INFINITY), f64::INFINITY);
    assert!(ln(-1.0).is_nan() && ln(f64::NAN).is_nan() && exp(f64::NAN).is_nan());
    assert_eq!((exp(0.0), exp(-1e9), exp(1e9)), (1.0, 0.0, f64::INFINITY));
    assert_eq!((pow(0.0, 0.0), pow(0.0, 2.0), pow(0.0, -1.0)), (1.0, 0.0, f64::INFINITY));
    assert_eq!((atan(0.0), atan(f64::INFINITY), atan(f64::NEG_INFINITY)), (0.0, FRAC_PI_2, -FRAC_PI_2));
    assert!(atan(-0.0).is_sign_negative() && atan(f64::NAN).is_nan());
    assert!(exp(709.7).is_finite() && exp(-745.0) > 0.0);
}
