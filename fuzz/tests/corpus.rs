//! All cases that failed once, judged by the driver.

use std::process::Command;

#[test]
fn nothing_fails_that_failed_once() {
    let done = Command::new(env!("CARGO_BIN_EXE_econsched-fuzz")).arg("corpus").output().unwrap();
    let told = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{told}{}", String::from_utf8_lossy(&done.stderr));
    // Of several families.
    assert!(told.lines().filter(|line| !line.ends_with(" 0 cases")).count() > 10, "{told}");
}
