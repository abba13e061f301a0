//! What a person sees on a terminal of a given width: tables that fit, and progress.

use super::{Dir, SWEEP};

/// What a shell command writes to a terminal of so many columns, byte by byte; `None`, said aloud, where
/// there is no `script`.
fn on_terminal(columns: u16, dir: &Dir, command: &str) -> Option<String> {
    let end = dir.sh(&format!(
        "TERM=xterm script --quiet --return --command 'stty cols {columns} rows 50; {command}' /dev/null"
    ));
    if end.code == 127 {
        println!("skipped: no script");
        return None;
    }
    let text = end.out.replace("\r\n", "\n");
    assert_eq!(end.code, 0, "{command}: {text}");
    Some(text)
}

const COMMANDS: [&str; 8] = [
    "plan --front",
    "simulate --jobs 30 --seeds 3 --scheduler two-phase",
    "simulate --workload hicc --scheduler min-ctt --jobs 50",
    "multi-s-grid --jobs 50",
    "map etc.txt",
    "assign etc.txt",
    "study yadav --set seeds=2",
    "sweep sweep.toml",
];

#[test]
fn what_is_printed_fits_the_terminal() {
    let dir = Dir::new("terminal-fits");
    dir.write("etc.txt", "2 5 3\n2 2 5\n3 2 2\n");
    dir.write("sweep.toml", SWEEP);
    for command in COMMANDS {
        let Some(text) = on_terminal(40, &dir, &format!("econsched {command}")) else { return };
        let shown = text.lines().map(|line| line.rsplit("\x1b[2K").next().unwrap_or(line));
        // A word as long as this stands alone on its line.
        let wide = |line: &&str| line.chars().count() > 40 && line.trim().contains(' ');
        assert_eq!(shown.filter(wide).collect::<Vec<_>>(), [""; 0], "{command}");
    }
}

/// Words of a plan's table; with the two columns that name a row the longest takes 24.
#[test]
fn tables_break_no_word_and_name_their_rows() {
    let dir = Dir::new("terminal-tables");
    for width in (24..=120).step_by(8) {
        let Some(text) = on_terminal(width, &dir, "econsched plan --method cycle") else {
            return;
        };
        let table: Vec<&str> = text.lines().take_while(|line| !line.contains(" placed")).collect();
        let wide = |line: &&&str| line.chars().count() > usize::from(width);
        assert!(table.iter().find(wide).is_none(), "{width}: {text}");
        for word in ["alternatives", "runtime", "finish", "cost"] {
            assert!(table.iter().any(|line| line.contains(word)), "{width}: {word}: {text}");
        }
        // What does not fit stands below.
        let heads = table.iter().filter(|line| line.contains(" job ")).count();
        assert!(if width < 40 { heads > 1 } else { width < 120 || heads == 1 }, "{width}: {text}");
    }
    dir.write("long.csv", "job,a-name-that-is-longer-than-any-terminal\nx,1\n");
    let text = on_terminal(24, &dir, "econsched assign long.csv").expect("as above");
    assert!(text.lines().all(|line| line.chars().count() <= 24), "{text}");
}

#[test]
fn who_waits_is_told_what_for_and_who_does_not_sees_nothing_of_it() {
    let dir = Dir::new("terminal-progress");
    let slow =
        "(sleep 2; econsched generate etc --set tasks=3000 --set machines=60) | econsched map - > map.txt";
    let Some(text) = on_terminal(40, &dir, slow) else { return };
    // Once all is read, the line names the command again.
    assert!(text.contains("reading standard input") && text.contains(" map, "), "{text:?}");
    assert!(text.ends_with("\r\x1b[2K"), "the line is taken away: {text:?}");
    // A line that is longer than the terminal could not be taken away.
    for line in text.split("\r\x1b[2K") {
        assert!(line.chars().count() <= 40, "{line:?}");
    }
    let quick = on_terminal(80, &dir, "econsched plan").expect("as above");
    assert!(!quick.contains("\x1b"), "{quick:?}");
    // What is drawn stands apart from what is printed.
    let both = on_terminal(200, &dir, &slow.replace("> map.txt", "")).expect("as above");
    // After what is printed, the line may be drawn once more.
    let printed: String =
        both.split("\r\x1b[2K").filter_map(|part| part.rfind('\n').map(|end| &part[..=end])).collect();
    assert_eq!(printed, dir.read("map.txt"), "{both:?}");
}
