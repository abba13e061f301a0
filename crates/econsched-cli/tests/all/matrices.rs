//! Matrices in each format: what is read of them, and where they are wrong.

use super::{json, refused};
use serde_json::Value;

/// The names of the jobs, those of the resources, and the least sum.
fn assigned(flags: &str, text: &str) -> (Vec<String>, Vec<String>, f64) {
    let told = json(&format!("assign - {flags}"), text);
    let names = |list: &str, name: &str| {
        let list = told[list].as_array().expect("a list").iter();
        list.map(|entry| entry[name].as_str().expect("a name").to_owned()).collect()
    };
    (names("jobs", "job"), names("resources", "resource"), super::number(&told, "total"))
}

fn is(flags: &str, text: &str, jobs: &[&str], resources: &[&str], total: f64) {
    let expected = (jobs.iter().map(|name| (*name).to_owned()).collect(), resources.to_vec(), total);
    let (found, cols, sum) = assigned(flags, text);
    assert_eq!((found, cols.iter().map(String::as_str).collect(), sum), expected, "{flags}: {text}");
}

#[test]
fn names_are_found_or_said() {
    is("", "1,2\n3,inf\n", &["0", "1"], &["0", "1"], 5.0);
    is("", "job,r1,r2\na,1,2\nb,3,-\n", &["a", "b"], &["r1", "r2"], 5.0);
    is("", "r1;r2\na;1;2\nb;3;\n", &["a", "b"], &["r1", "r2"], 5.0);
    is("--format csv --names both", "x,1,2\n7,3,4\n8,5,7\n", &["7", "8"], &["1", "2"], 9.0);
    is("--names first-column --capacities 2", "a,1\nb,2\n", &["a", "b"], &["0"], 3.0);
    is("--format csv --names first-line --capacities 2", "cost\n1\n2\n", &["0", "1"], &["cost"], 3.0);
    refused("assign - --format csv --names none", "a,1\n", &["`a`"]);
    refused("assign - --format csv --names first-column", "a\nb\n", &["no column of values"]);
    refused("assign - --format headed --names both", "2 2\n1 2 3 4\n", &["this format has no names"]);
}

#[test]
fn what_fits_two_formats_is_refused() {
    for text in ["1 2\n3 4", "2 2\n1 2\n3 4\n", "2 3 0\n1 2 3\n4 5 6\n"] {
        refused("assign -", text, &["--format"]);
    }
    is("--format table", "1 2\n3 4", &["0", "1"], &["0", "1"], 5.0);
    is("--capacities 2", "1 2\n3 4\n5 6\n", &["0", "1", "2"], &["0", "1"], 10.0);
    is("", "t m1 m2\na 1 2\nb 3 -\n", &["a", "b"], &["m1", "m2"], 5.0);
    is("", "2 3\n1 2 3\n4 5 6\n", &["0", "1"], &["0", "1", "2"], 6.0);
    is("", "2 3 0\n1\n2\n3\n4\n5\n6\n", &["0", "1"], &["0", "1", "2"], 6.0);
    is("", "2\n 1 2\n 3 5\n", &["0", "1"], &["0", "1"], 5.0);
}

#[test]
fn only_infinity_forbids_a_pair() {
    let told = json("assign - --most-jobs", "1,+inf\n-,Infinity\n");
    assert_eq!((&told["jobs"][0]["cost"], &told["jobs"][1]["resource"]), (&Value::from(1.0), &Value::Null));
}

#[test]
fn a_problem_of_dimacs_names_its_nodes() {
    let sparse = "c two jobs\np asn 4 3\nn 1\nn 2\na 1 3 5\na 1 4 7\na 2 4 1\n";
    is("", sparse, &["1", "2"], &["3", "4"], 6.0);
    // A flow with demands is an assignment with capacities.
    let flow = "p min 4 3\nn 1 1\nn 2 1\nn 3 -2\nn 4 0\na 1 3 0 1 5\na 2 3 0 9 6\n";
    is("", flow, &["1", "2"], &["3"], 11.0);
}

#[test]
fn errors_say_where() {
    for (text, told) in [
        // One letter for a digit is no name.
        ("9,1,3\nO,0,5\n3,2,2\n", "<stdin>:2: column 1: expected a number, got `O`"),
        ("9,l,3\n0,0,5\n3,2,2\n", "<stdin>:1: column 2: expected a number, got `l`"),
        ("O,1,3\n0,0,5\n3,2,2\n", "<stdin>:1: column 1: expected a number, got `O`"),
        ("O 1 3\n0 0 5\n3 2 2\n", "<stdin>:1: column 1: expected a number, got `O`"),
        // The whole first column is no number, but the first line is.
        ("a,1\nb,2\n", "<stdin>:1: column 1: expected a number, got `a`"),
        ("x,r,s\na,1,2\n3,4,5\n", "<stdin>:2: column 1: expected a number, got `a`"),
        ("O\n1\n2\n", "<stdin>:1: column 1: expected a number, got `O`"),
        ("1,-inf\n2,3\n", "<stdin>:1: column 2: expected a finite number, got `-inf`"),
        ("1,1e999\n2,3\n", "<stdin>:1: column 2: expected a finite number"),
        ("1,nan\n2,3\n", "<stdin>:1: column 2: expected a finite number"),
        ("2\n1 2\n-inf 4\n", "<stdin>:3: row 2, column 1: expected a finite number"),
        ("1,2\n3\n", "<stdin>:2: expected 2 cells, got 1"),
        ("1,2\n3,x\n", "<stdin>:2: column 2: expected a number, got `x`"),
        ("2 3 0\n1\n2\n3\n4\n5\n", "<stdin>: 2 x 3 values expected, got 5"),
        ("2 2 0\n1\nzwei\n", "<stdin>:3: row 1, column 2: expected a number, got `zwei`"),
        ("7\n8\n", "<stdin>: 7 x 7 values expected, got 1"),
        ("", "<stdin>: no row in this file"),
        ("p asn 2 1\nn 1\na 1 9 3\n", "<stdin>:3: arc 1 to 9 leaves"),
        ("p asn 3 1\nn 1\na 2 3 4\n", "<stdin>:3: arc 2 to 3 does not lead"),
        ("p asn 2 1\nn 1\na 1 2\n", "<stdin>:3: cost: missing"),
        ("p asn 2 1\nn 1\na 1 2 x\n", "<stdin>:3: cost: expected a number, got `x`"),
        ("p min 2 1\nn 1 5\n", "<stdin>:2: node 1 supplies 5"),
        ("p min 2 1\nn 1 1\nn 2 -2\na 1 2 0 1 1\n", "supply 1 and demand 2"),
        ("p min 2 1\nn 1 1\nn 2 -1\na 1 2 1 1 1\n", "<stdin>:4: bounds 1 to 1"),
        ("p asn 99999999999 1\nn 1\n", "<stdin>: number of nodes"),
        ("c nothing\n", "<stdin>: no problem line"),
    ] {
        refused("assign -", text, &[told]);
    }
    refused("assign - --format dimacs", "a 1 2 3\n", &["<stdin>:1: expected the problem line"]);
    for text in ["0 4294967295\n", "4294967295 0\n", "0 0 0\n"] {
        refused("assign -", text, &[]);
        refused("assign - --format headed", text, &[]);
    }
    for size in ["99999999999999999999 2", "18446744073709551615 2 0"] {
        refused("assign - --format headed", &format!("{size}\n1\n"), &[]);
    }
}
