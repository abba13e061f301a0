//! What is read goes through the same checks as what is built; what is written is read back.
#![cfg(feature = "serde")]

use econsched_studies::{Garg2009, garg2009::broker, yadav::experiment};

#[test]
fn configurations_come_back() {
    let text = serde_json::to_string(&broker::Config::default()).unwrap();
    assert_eq!(serde_json::from_str::<broker::Config>(&text).unwrap(), broker::Config::default());
    assert_eq!(serde_json::from_str::<broker::Config>("{}").unwrap(), broker::Config::default());
    let text = serde_json::to_string(&experiment::Config::default()).unwrap();
    assert_eq!(serde_json::from_str::<experiment::Config>(&text).unwrap(), experiment::Config::default());
    assert_eq!(
        serde_json::from_str::<Garg2009>("{\"seeds\": 7}").unwrap(),
        Garg2009::default().with_seeds(7)
    );
    assert!(serde_json::from_str::<Garg2009>("{\"sedes\": 7}").is_err());
}
