//! Deserialised values pass the same checks as constructed ones, and serialised values are read back unchanged.
#![cfg(feature = "serde")]

use econsched_studies::multi_s_grid::{self, GridName, JobProperties, UserGroup};
use econsched_studies::{Garg2009, garg2009::broker, yadav::experiment};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

fn comes_back<C: Serialize + DeserializeOwned + PartialEq + Debug>(config: C) {
    let text = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<C>(&text).unwrap(), config, "{text}");
}

#[test]
fn configurations_come_back() {
    comes_back(broker::Config::default());
    comes_back(experiment::Config::default());
    comes_back(multi_s_grid::Config::default().with_auction(Some(0.5)));
    comes_back(GridName::G7.properties());
    comes_back(UserGroup::Users2.properties());
    comes_back(JobProperties::default());
    assert_eq!(serde_json::from_str::<broker::Config>("{}").unwrap(), broker::Config::default());
    assert!(serde_json::from_str::<multi_s_grid::Config>(r#"{"slize": 3}"#).is_err());
    assert_eq!(
        serde_json::from_str::<Garg2009>("{\"seeds\": 7}").unwrap(),
        Garg2009::default().with_seeds(7)
    );
    assert!(serde_json::from_str::<Garg2009>("{\"sedes\": 7}").is_err());
}
