//! Charts of studies as pictures.

use econsched_cli::svg;
use econsched_studies::Chart;
use econsched_studies::stats::Estimate;

/// Whether a text stands in a picture by itself.
fn has(svg: &str, label: &str) -> bool {
    svg.contains(&format!(">\n{label}\n<"))
}

fn lines(points: impl IntoIterator<Item = (f64, f64)>) -> Chart {
    Chart::new("cost", "factor", "G$").with_series("one", points)
}

#[test]
fn labels_have_three_digits() {
    let values = [0.0, 1.0, 59.85, 369.7, 1200.0, 12_345.0, 853_363.0, 999_600.0, 1.05e6, 0.034, 4e-5, -2.5];
    let labels = ["0", "1", "59.9", "370", "1200", "12.3k", "853k", "1M", "1.05M", "0.034", "4.0e-5", "-2.5"];
    let drawn = svg(&Chart::bars("all", "y", labels.map(|_| "")).with_bars("one", values)).unwrap();
    for label in labels {
        assert!(has(&drawn, label), "{label}: {drawn}");
    }
}

#[test]
fn charts_hold_their_words_and_every_bar() {
    let bars = Chart::bars("Cost & time", "money", ["ALP", "AMP"])
        .with_bars("ours", [Estimate { mean: 10.0, half: 1.0, count: 2 }, 12.5.into()])
        .with_bars("paper", [11.0, 13.0]);
    let text = svg(&bars).unwrap();
    for word in ["Cost &amp; time", "money", "ALP", "AMP", "ours", "paper", "12.5"] {
        assert!(text.contains(word), "{word}");
    }
    // Background, four bars, two legend keys.
    assert_eq!(text.matches("<rect").count(), 7);
    assert!(svg(&bars.with_stacked(true)).is_ok());
}

/// Factors of 0, 0.2 and so on have no mark at 0.1, as those of a paper have none.
#[test]
fn few_points_are_the_marks_of_their_axis() {
    let drawn = |points: &[f64]| svg(&lines(points.iter().map(|&x| (x, 5.0 + x)))).unwrap();
    let few = drawn(&[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
    assert!(["0", "0.2", "0.8"].into_iter().all(|label| has(&few, label)), "{few}");
    assert!(!["0.1", "0.3", "0.9"].into_iter().any(|label| has(&few, label)), "{few}");
    let apart = drawn(&[25.0, 150.0, 50.0, 25.0]);
    assert!(["25", "50", "150"].into_iter().all(|label| has(&apart, label)) && !has(&apart, "75"), "{apart}");
    // Too near to each other, not what their labels would say, too many: the marks between them are there, too.
    for (points, between) in [
        (vec![0.0, 0.001, 1.0], "0.5"),
        (vec![437.21, 512.9], "450"),
        ((0..=10).map(f64::from).collect(), "4"),
    ] {
        let others = drawn(&points);
        assert!(has(&others, between) && !has(&others, "0.001") && !has(&others, "437"), "{others}");
    }
    for points in [&[1.0][..], &[f64::NAN, 1.0], &[]] {
        drawn(points);
    }
}

#[test]
fn lines_bear_empty_and_constant_data() {
    assert!(svg(&lines([])).is_ok());
    assert!(svg(&lines([(1.0, 5.0)])).is_ok());
    let curves = |points: [(f64, f64); 5]| {
        let text = svg(&lines(points).with_markers(false)).unwrap();
        text.matches(r##"stroke="#0072B2""##).count()
    };
    let pair = Chart::new("two", "load", "y").with_series("a <b>", [(0.5, 1.0), (1.5, f64::NAN), (2.5, 4.0)]);
    let text = svg(&pair).unwrap();
    assert_eq!(text.matches("<circle").count(), 2);
    assert!(has(&text, "a &lt;b&gt;"), "{text}");
    let whole = [(0.0, 1.0), (1.0, 2.0), (2.0, 3.0), (3.0, 2.0), (4.0, 1.0)];
    let mut broken = whole;
    broken[2].1 = f64::NAN;
    assert_eq!((curves(whole), curves(broken)), (1, 2));
    let text = svg(&lines([(10.0, 1.0), (1000.0, 90.0)]).with_log_x(true).with_log_y(true)).unwrap();
    assert!(text.contains("100"), "an axis label of a decade");
}

/// Where the entries of the legend stand: across and down.
fn entries(names: &[&str]) -> Vec<(i32, i32)> {
    let ends = [(0.0, 1.0), (1.0, 2.0)];
    let chart =
        names.iter().fold(Chart::new("sites", "x", "y"), |chart, name| chart.with_series(*name, ends));
    let text = svg(&chart).unwrap();
    let place = |name: &&str| {
        let head = &text[..text.rfind(&format!(">\n{name}\n")).expect("an entry")];
        let of = |axis: &str| {
            let at = head.rfind(axis).expect("a place") + axis.len();
            head[at..].split('"').next().and_then(|place| place.parse().ok()).expect("a number")
        };
        (of(" x=\""), of(" y=\""))
    };
    names.iter().map(place).collect()
}

#[test]
fn every_entry_of_a_legend_is_within_the_chart() {
    let names: Vec<String> = (1..=7).map(|site| format!("site {site} (2600 MI/s)")).collect();
    let places = entries(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let rows: std::collections::BTreeSet<i32> = places.iter().map(|(_, y)| *y).collect();
    assert_eq!(rows.len(), 2);
    assert!(places.iter().all(|(x, _)| *x < 960 - 100), "{places:?}");
    // From left to right, then in the next row.
    assert!(places.windows(2).all(|pair| (pair[0].1, pair[0].0) < (pair[1].1, pair[1].0)), "{places:?}");
    let long = entries(&["a", &"x".repeat(500), "b"]);
    assert!(long.windows(2).all(|pair| pair[0].1 < pair[1].1), "{long:?}");
}

#[test]
fn colours_of_many_series_differ() {
    let chart = (0..60).fold(Chart::new("sixty", "x", "y"), |chart, at| {
        chart.with_series(at.to_string(), [(0.0, f64::from(at))])
    });
    let text = svg(&chart).unwrap();
    let legend = text.lines().filter(|line| line.contains("width=\"22\""));
    let fill = |line: &str| line.split("fill=\"").nth(1).map_or("", |rest| &rest[..7]).to_owned();
    assert_eq!(legend.map(fill).collect::<std::collections::BTreeSet<_>>().len(), 60);
}
