//! Writes a source with its mutants behind switches. Each mutant stands on a line of its own that begins with
//! its number, so that an error of the compiler names it.

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
        // One form of each mutant, or else the original.
        let switch = |form: &dyn Fn(&Mutant) -> String, original: &str| {
            let mut out = String::new();
            for mutant in &mutants {
                let _ = write!(out, "\n/*M{}*/ if {} {{ {} }} else", mutant.number, on(mutant), form(mutant));
            }
            out + &format!("\n{{ {original} }}")
        };
        let (number, awake) = (mutants[0].number, on(mutants[0]));
        let body = match &site.kind {
            Kind::Both { left, right, operator, compares } => {
                let (a, b) = (part(left), part(right));
                let (and, star) = if *compares { ("&", "*") } else { ("", "") };
                let both = |operator: &str| format!("{star}m_left {operator} {star}m_right");
                let inner = switch(&|mutant| both(&mutant.instead), &both(operator));
                format!("(match ({and}({a}), {and}({b})) {{ (m_left, m_right) => {{{inner} }} }})")
            }
            Kind::Logical { left, right, and } => {
                let (a, b) = (part(left), part(right));
                let wanted = if *and { "!=" } else { "==" };
                // With `&&` the right side decides where the left is true; with `||` where it is false.
                format!(
                    "(match ({a}) {{ m_left =>\n/*M{number}*/ if m_left {wanted} {awake} {{ {b} }} else {{ m_left }} }})"
                )
            }
            Kind::Compound { place, right, operator } => {
                let b = part(right);
                let to = |place: &str, operator: &str| format!("{place} {operator} m_right");
                let plain = &self.text[place.clone()];
                let inner = switch(&|mutant| to(plain, &mutant.instead), &to(&part(place), operator));
                format!("(match ({b}) {{ m_right => {{{inner} }} }})")
            }
            Kind::Unary { inner, operator } => {
                let inner = part(inner);
                format!(
                    "(match ({inner}) {{ m_inner =>\n/*M{number}*/ if {awake} {{ m_inner }} else {{ {operator}m_inner }} }})"
                )
            }
            Kind::Body => {
                let bodies = mutants.iter().map(|mutant| {
                    format!("\n/*M{}*/ if {} {{ return {}; }}", mutant.number, on(mutant), mutant.instead)
                });
                bodies.collect::<String>() + "\n"
            }
            Kind::Arm => format!("\n/*M{number}*/ if !{awake}"),
            Kind::Guard { guard } => {
                let form = |mutant: &Mutant| match mutant.instead.as_str() {
                    "delete" => "false".to_owned(),
                    instead => instead.to_owned(),
                };
                format!("{{{}}}", switch(&form, &part(guard)))
            }
        };
        format!("/*S{}{{*/{body}/*}}*/", numbers.join(","))
    }
}
