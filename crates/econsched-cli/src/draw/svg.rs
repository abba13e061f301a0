//! A small SVG writer: shapes and text with all text escaped.

use plotters::style::{Color as _, HSLColor};
use std::fmt::Write as _;

/// An SVG document that grows downwards; its size is given at the end.
#[derive(Debug, Default)]
pub(crate) struct Svg {
    body: String,
}

/// How a text is placed at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// It starts there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// Where and how large.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Svg {
    /// A rectangle. `style` is written as it is: attributes such as `fill="red"`. `tip` is its tooltip.
    pub(crate) fn rect(&mut self, at: Rect, style: &str, tip: Option<&str>) {
        let Rect { x, y, width, height } = at;
        let _ = write!(
            self.body,
            r#"<rect x="{x:.2}" y="{y:.2}" width="{:.2}" height="{:.2}" {style}"#,
            width.max(0.0),
            height.max(0.0)
        );
        match tip {
            Some(tip) => {
                let _ = writeln!(self.body, "><title>{}</title></rect>", escape(tip));
            }
            None => self.body.push_str("/>\n"),
        }
    }

    /// A straight line.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), style: &str) {
        let _ = writeln!(
            self.body,
            r#"<line x1="{:.2}" y1="{:.2}" x2="{:.2}" y2="{:.2}" {style}/>"#,
            from.0, from.1, to.0, to.1
        );
    }

    /// A text on its baseline.
    pub(crate) fn text(&mut self, at: (f64, f64), size: f64, anchor: Anchor, style: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = writeln!(
            self.body,
            r#"<text x="{:.2}" y="{:.2}" font-size="{size:.1}" text-anchor="{anchor}" {style}>{}</text>"#,
            at.0,
            at.1,
            escape(text)
        );
    }

    /// The document.
    pub(crate) fn finish(self, width: f64, height: f64) -> String {
        format!(
            concat!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w:.0} {h:.0}" width="{w:.0}" "#,
                r#"height="{h:.0}" font-family="DejaVu Sans, Helvetica, Arial, sans-serif">"#,
                "\n",
                r##"<defs><pattern id="load" width="5" height="5" patternUnits="userSpaceOnUse" "##,
                r##"patternTransform="rotate(45)"><rect width="5" height="5" fill="#e3e3e3"/>"##,
                r##"<line x1="0" y1="0" x2="0" y2="5" stroke="#b4b4b4" stroke-width="1.6"/></pattern></defs>"##,
                "\n",
                r#"<rect width="100%" height="100%" fill="white"/>"#,
                "\n{body}</svg>\n"
            ),
            w = width,
            h = height,
            body = self.body
        )
    }
}

/// `text` with what XML reserves replaced, and without the control characters that XML forbids.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Roughly how wide a text of this size is. For deciding whether a label fits, not for setting type.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.6
}

/// A colour for the k-th of many things: the first twelve well apart, then further hues by the golden angle.
pub(crate) fn colour(k: usize) -> String {
    const FIRST: [&str; 12] = [
        "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#edc948", "#9c755f", "#ff9da7",
        "#1f6f8b", "#8cd17d", "#d37295",
    ];
    if let Some(first) = FIRST.get(k) {
        return (*first).to_owned();
    }
    let hue = (k as f64 * 137.507_764) % 360.0;
    let (saturation, lightness) = (0.45 + 0.1 * (k % 3) as f64, 0.45 + 0.08 * (k % 4) as f64);
    let (red, green, blue) = HSLColor(hue / 360.0, saturation, lightness).to_backend_color().rgb;
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Black or white, whichever reads on this colour.
pub(crate) fn ink_on(colour: &str) -> &'static str {
    let channel = |at: usize| {
        colour.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).map_or(0.0, f64::from)
    };
    let luminance = 0.299 * channel(1) + 0.587 * channel(3) + 0.114 * channel(5);
    if luminance > 140.0 { "#1a1a1a" } else { "#ffffff" }
}

/// Marks of an axis: at most about `count` round numbers (1, 2, 5 times a power of ten) in `[from, to]`.
pub(crate) fn ticks(from: f64, to: f64, count: usize) -> Vec<f64> {
    let rough = (to - from) / count.max(1) as f64;
    if !rough.is_finite() || rough <= 0.0 {
        return vec![from];
    }
    // The exponent is taken from the number written as a decimal, which is the same on every machine.
    let written = format!("{rough:e}");
    let exponent = written.split_once('e').map_or("0", |(_, exponent)| exponent);
    let power = format!("1e{exponent}").parse().unwrap_or(rough);
    let step =
        power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough).unwrap_or(10.0);
    let first = (from / step).ceil();
    // Far from zero the step may fall below the precision of the numbers: then marks would repeat without
    // end.
    let marks = (0..=2 * count.max(1)).map(|k| (first + k as f64) * step);
    marks.take_while(|mark| *mark <= to + step * 1e-9).collect()
}
