//! A page of text for people: the verdict first, then what is known, then what to do next.

use std::fmt::Write as _;

/// What the headline means to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// Go ahead, or done.
    Good,
    /// Nothing to do but wait, or look.
    Calm,
    /// Do not act: somebody must find out.
    Doubt,
    /// Refused.
    Bad,
}

/// A page under construction.
#[derive(Debug)]
pub(super) struct Page {
    tone: Tone,
    word: &'static str,
    headline: String,
    rows: Vec<(&'static str, String)>,
    next: Vec<String>,
}

impl Page {
    /// Starts with the verdict and one sentence.
    pub(super) fn new(tone: Tone, word: &'static str, headline: impl Into<String>) -> Self {
        Self { tone, word, headline: headline.into(), rows: Vec::new(), next: Vec::new() }
    }

    /// A fact; left out where there is none.
    #[must_use]
    pub(super) fn row<V: ToString>(mut self, name: &'static str, value: Option<V>) -> Self {
        let shown = value.map(|value| visible(&value.to_string())).filter(|text| !text.is_empty());
        self.rows.extend(shown.map(|text| (name, text)));
        self
    }

    /// A step to take, in words or as a command.
    #[must_use]
    pub(super) fn next(mut self, step: impl Into<String>) -> Self {
        self.next.push(step.into());
        self
    }

    /// The text, with a line end after each line.
    pub(super) fn render(&self, coloured: bool) -> String {
        let mut text = String::new();
        let word = if coloured { self.tone.paint(self.word) } else { self.word.to_owned() };
        let headline = visible(&self.headline);
        let _ = writeln!(text, "{word}: {headline}");
        let width = self.rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, value) in &self.rows {
            let _ = writeln!(text, "  {name:width$}  {value}");
        }
        if !self.next.is_empty() {
            text.push_str("next:\n");
        }
        for step in &self.next {
            let _ = writeln!(text, "  {}", visible(step));
        }
        text
    }
}

impl Tone {
    fn paint(self, word: &str) -> String {
        let colour = match self {
            Self::Good => 32,
            Self::Calm => 36,
            Self::Doubt => 33,
            Self::Bad => 31,
        };
        format!("\u{1b}[1;{colour}m{word}\u{1b}[0m")
    }
}

/// Text from elsewhere with its control characters made visible, so that it cannot drive the
/// terminal.
pub(super) fn visible(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
        shown
    })
}

#[cfg(test)]
mod tests;
