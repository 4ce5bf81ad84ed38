//! What came of a run, for people and for scripts.

use std::{fmt::Write as _, io::IsTerminal, time::Duration};

use clap::ValueEnum;
use hdrhistogram::Histogram;
use serde_json::{Value, json};

use super::{
    super::{
        connection::Output,
        is_coloured,
        page::{Page, Tone},
    },
    Work,
    tally::Tally,
};

/// Percentiles that are told, beside the largest.
const PERCENTILES: [(&str, f64); 3] = [("p50", 0.50), ("p90", 0.90), ("p99", 0.99)];
/// Columns of the bar.
const BAR: usize = 30;

/// All that is told.
pub(super) struct Told<'a> {
    pub(super) work: Work,
    pub(super) run: String,
    pub(super) in_flight: u16,
    pub(super) took: Duration,
    pub(super) retention: Duration,
    pub(super) tally: &'a Tally,
}

impl Told<'_> {
    /// As it is printed.
    pub(super) fn render(&self, output: Output) -> anyhow::Result<String> {
        match output {
            Output::Text => Ok(self.page().render(is_coloured(std::io::stdout().is_terminal()))),
            Output::Json => Ok(format!("{}\n", serde_json::to_string_pretty(&self.json())?)),
        }
    }

    fn page(&self) -> Page {
        let (rate, took) = (self.rate(), self.took.as_secs_f64());
        let (count, what) = (self.tally.intents, self.what());
        let failures = self.tally.failures();
        let (tone, word) = match (count, failures) {
            (_, 0) => (Tone::Good, "measured"),
            (0, _) => (Tone::Bad, "failed"),
            (_, _) => (Tone::Doubt, "measured with failures"),
        };
        let headline = format!("{rate:.0} {what} a second ({count} in {took:.1} s)");
        let mut page = Page::new(tone, word, headline)
            .row("work", Some(format!("{}, {} at once", self.work_name(), self.in_flight)))
            .row("keys", Some(format!("{}:…", self.run)));
        for (call, latencies) in &self.tally.calls {
            page = page.row(call, Some(shown(latencies)));
        }
        for (code, times) in &self.tally.errors {
            page = page.row("failures", Some(format!("{code} {times}")));
        }
        let retention = humantime::format_duration(self.retention);
        page.row("left behind", Some(format!("{} records, for {retention}", self.tally.records)))
    }

    fn json(&self) -> Value {
        let calls = self.tally.calls.iter().map(|(call, latencies)| (*call, micros(latencies)));
        json!({
            "work": self.work_name(),
            "run": self.run,
            "inFlight": self.in_flight,
            "seconds": self.took.as_secs_f64(),
            "count": self.tally.intents,
            "perSecond": self.rate(),
            "calls": calls.collect::<std::collections::BTreeMap<_, _>>(),
            "failures": self.tally.errors,
            "recordsLeft": self.tally.records,
            "retentionSeconds": self.retention.as_secs(),
        })
    }

    fn what(&self) -> &'static str {
        if self.work == Work::Duplicate { "duplicates" } else { "intents" }
    }

    fn work_name(&self) -> String {
        let name = self.work.to_possible_value();
        name.map(|name| name.get_name().to_owned()).unwrap_or_default()
    }

    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    fn rate(&self) -> f64 {
        self.tally.intents as f64 / self.took.as_secs_f64().max(1e-6)
    }
}

fn shown(latencies: &Histogram<u64>) -> String {
    let mut text = format!("{} calls", latencies.len());
    for (name, part) in PERCENTILES {
        let _ = write!(text, ", {name} {}", millis(latencies.value_at_quantile(part)));
    }
    text + &format!(", max {}", millis(latencies.max()))
}

fn millis(micros: u64) -> String {
    let hundredths = micros.div_ceil(10);
    format!("{}.{:02} ms", hundredths / 100, hundredths % 100)
}

fn micros(latencies: &Histogram<u64>) -> Value {
    let mut told = json!({ "count": latencies.len(), "maxMicros": latencies.max() });
    for (name, part) in PERCENTILES {
        told[format!("{name}Micros")] = latencies.value_at_quantile(part).into();
    }
    told
}

/// How far it is, by time or number, whichever is further.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a part between nothing and all of the bar"
)]
pub(super) fn bar(time: f64, done: u64, count: u64) -> String {
    let part = time.max(done as f64 / count.max(1) as f64).clamp(0.0, 1.0);
    let full = (part * BAR as f64) as usize;
    format!("\r[{}{}] {done} begun", "#".repeat(full), " ".repeat(BAR - full))
}
