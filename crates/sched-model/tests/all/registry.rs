//! The macro `registry!`, used as by another crate.

sched_model::registry! {
    /// A registry with capitals and accents in its names.
    enum Search: "search" {
        Plain = "Plain",
        MinStart = "min-start",
        MinCost = "min-cost",
        MinCostAccented = "min-cost-ä",
    }
}

sched_model::registry! {
    /// A registry that builds private things, as trait objects of any trait.
    pub(crate) enum Shown: "shown thing" => dyn std::fmt::Display + Send {
        One = "one" => 1,
        Two = "two" => "two".to_owned(),
    }
}

#[test]
fn names_lead_to_variants_and_back() {
    for &kind in Search::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
        assert_eq!(kind.name().to_ascii_uppercase().parse(), Ok(kind));
    }
    assert_eq!(format!("[{:>6}]", Search::Plain), "[ Plain]");
    let error = "none of\n them".parse::<Search>().unwrap_err();
    let said = r#"unknown search "none of\n them", expected one of: Plain, min-start, min-cost, min-cost-ä"#;
    assert_eq!(error.to_string(), said);
    assert_eq!(Shown::ALL.iter().map(|kind| kind.build().to_string()).collect::<Vec<_>>(), ["1", "two"]);
}

#[test]
fn files_hold_the_names() {
    for &kind in Search::ALL {
        let text = serde_json::to_string(&kind).unwrap();
        assert_eq!(text, format!("\"{}\"", kind.name()));
        assert_eq!(serde_json::from_str::<Search>(&text).unwrap(), kind);
        assert_eq!(serde_json::from_reader::<_, Search>(text.as_bytes()).unwrap(), kind);
    }
    let keys = std::collections::BTreeMap::from([(Search::Plain, 1)]);
    assert_eq!(serde_json::to_string(&keys).unwrap(), r#"{"Plain":1}"#);
    assert_eq!(
        serde_json::from_str::<std::collections::BTreeMap<Search, i32>>(r#"{"Plain":1}"#).unwrap(),
        keys
    );
    let error = serde_json::from_str::<Search>("\"max\"").unwrap_err().to_string();
    assert!(error.contains("expected one of: Plain, min-start"), "{error}");
    assert!(serde_json::from_str::<Search>("3").unwrap_err().to_string().contains("the name of a search"));
}
