//! Searches that are bounded say so, and the same bound gives the same answer.

use super::{code, econsched, err, out};

#[test]
fn limits_that_are_none_are_refused() {
    for (flag, value) in
        [("--gap", "1"), ("--gap", "-0.1"), ("--gap", "nan"), ("--time-limit", "-1"), ("--time-limit", "nan")]
    {
        let output = econsched(&["plan", "--no-files", flag, value], "");
        assert_eq!(code(&output), 2, "{flag} {value}: {}", out(&output));
        assert!(err(&output).contains(flag), "{}", err(&output));
    }
}

#[test]
fn a_search_that_was_stopped_says_so() {
    let whole = econsched(&["plan", "--no-files"], "");
    assert!(!out(&whole).contains("the limit of"), "{}", out(&whole));
    let mut told = 0;
    for work in ["1", "20", "100", "300", "1000"] {
        let args = ["plan", "--no-files", "--work-limit", work];
        let (once, again) = (econsched(&args, ""), econsched(&args, ""));
        assert_eq!((out(&once), err(&once)), (out(&again), err(&again)), "{work}");
        assert!(code(&once) < 2, "{work}: {}", err(&once));
        let text = format!("{}{}", out(&once), err(&once));
        told += usize::from(text.contains("the limit of work"));
    }
    assert!(told >= 2, "{told}");
    // The clock is asked every 16384 units of work: what is done by then is done.
    let output = econsched(&["plan", "--no-files", "--time-limit", "0"], "");
    assert!(code(&output) < 2, "{}", err(&output));
    // Enough of both changes nothing.
    let ample = econsched(&["plan", "--no-files", "--time-limit", "600", "--work-limit", "1000000000"], "");
    assert_eq!(out(&ample), out(&whole));
}
