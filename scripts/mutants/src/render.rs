//! Writes a source with its mutants behind switches. Each mutant stands on a line of its own that begins with its number,
//! so that an error of the compiler names it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

use crate::sites::{Kind, Mutant, Site};

pub(crate) fn file(text: &str, sites: &[Site], dropped: &BTreeSet<usize>) -> String {
    Renderer { text, sites, dropped }.part(0..text.len(), 0)
}

struct Renderer<'a> {
    text: &'a str,
    sites: &'a [Site],
    dropped: &'a BTreeSet<usize>,
}

fn on(mutant: &Mutant) -> String {
    format!("crate::mutation_switch::on({})", mutant.number)
}

impl Renderer<'_> {
    /// This part of the text, with the sites from `first` on that lie in it.
    fn part(&self, range: Range<usize>, first: usize) -> String {
        let mut out = String::new();
        let mut at = range.start;
        for (index, site) in self.sites.iter().enumerate().skip(first) {
            if site.range.start > range.end {
                break;
            }
            if site.range.start < at || site.range.end > range.end || site.range.start < range.start {
                continue;
            }
            out.push_str(&self.text[at..site.range.start]);
            out.push_str(&self.site(site, index + 1));
            at = site.range.end;
        }
        out.push_str(&self.text[at..range.end]);
        out
    }

    fn site(&self, site: &Site, next: usize) -> String {
        let mutants: Vec<&Mutant> =
            site.mutants.iter().filter(|mutant| !self.dropped.contains(&mutant.number)).collect();
        if mutants.is_empty() {
            return self.part(site.range.clone(), next);
        }
        let part = |range: &Range<usize>| self.part(range.clone(), next);
        let numbers: Vec<String> = mutants.iter().map(|mutant| mutant.number.to_string()).collect();
        let mut out = format!("/*S{}{{*/", numbers.join(","));
        let mut switch = |form: &dyn Fn(&Mutant) -> String, original: String| {
            for mutant in &mutants {
                let _ = write!(out, "\n/*M{}*/ if {} {{ {} }} else", mutant.number, on(mutant), form(mutant));
            }
            let _ = write!(out, "\n{{ {original} }}");
        };
        match &site.kind {
            Kind::Both { left, right, operator, compares } => {
                let (a, b) = (part(left), part(right));
                let (and, star) = if *compares { ("&", "*") } else { ("", "") };
                let mut body = String::new();
                std::mem::swap(&mut body, &mut out);
                let _ = write!(body, "(match ({and}({a}), {and}({b})) {{ (m_left, m_right) => {{");
                for mutant in &mutants {
                    let _ = write!(
                        body,
                        "\n/*M{}*/ if {} {{ {star}m_left {} {star}m_right }} else",
                        mutant.number,
                        on(mutant),
                        mutant.instead
                    );
                }
                let _ = write!(body, "\n{{ {star}m_left {operator} {star}m_right }} }} }})");
                out = body;
            }
            Kind::Logical { left, right, and } => {
                let (a, b) = (part(left), part(right));
                let awake = on(mutants[0]);
                let wanted = if *and { "!=" } else { "==" };
                // With `&&` the right side decides where the left is true; with `||` where it is false.
                let _ = write!(
                    out,
                    "(match ({a}) {{ m_left =>\n/*M{}*/ if m_left {wanted} {awake} {{ {b} }} else {{ m_left }} }})",
                    mutants[0].number
                );
            }
            Kind::Compound { place, right, operator } => {
                let (a, b) = (&self.text[place.clone()], part(right));
                let original = format!("{} {operator} m_right", part(place));
                let mut body = String::new();
                std::mem::swap(&mut body, &mut out);
                let _ = write!(body, "(match ({b}) {{ m_right => {{");
                for mutant in &mutants {
                    let _ = write!(
                        body,
                        "\n/*M{}*/ if {} {{ {a} {} m_right }} else",
                        mutant.number,
                        on(mutant),
                        mutant.instead
                    );
                }
                let _ = write!(body, "\n{{ {original} }} }} }})");
                out = body;
            }
            Kind::Unary { inner, operator } => {
                let a = part(inner);
                let mut body = String::new();
                std::mem::swap(&mut body, &mut out);
                let _ = write!(
                    body,
                    "(match ({a}) {{ m_inner =>\n/*M{}*/ if {} {{ m_inner }} else {{ {operator}m_inner }} }})",
                    mutants[0].number,
                    on(mutants[0])
                );
                out = body;
            }
            Kind::Body => {
                for mutant in &mutants {
                    let _ = write!(
                        out,
                        "\n/*M{}*/ if {} {{ return {}; }}",
                        mutant.number,
                        on(mutant),
                        mutant.instead
                    );
                }
                out.push('\n');
            }
            Kind::Arm => {
                let _ = write!(out, "\n/*M{}*/ if !{}", mutants[0].number, on(mutants[0]));
            }
            Kind::Guard { guard } => {
                let original = part(guard);
                switch(
                    &|mutant| {
                        if mutant.instead == "delete" { "false".to_owned() } else { mutant.instead.clone() }
                    },
                    original,
                );
                let head = out.find("\n/*M").unwrap_or(0);
                out.insert(head, '{');
                out.push('}');
            }
        }
        let _ = write!(out, "/*}}*/");
        out
    }
}
