//! What onced counts of itself, read from its admin port as a scraper would.

use std::net::SocketAddr;

use anyhow::Result;
use serde::Serialize;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// What was asked of the store since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Operations {
    /// Looks at a record and conditional writes of one; the listings of a scrape are not counted.
    pub(crate) calls: f64,
    /// Conditional writes.
    pub(crate) conditional_writes: f64,
}

impl Operations {
    /// What was asked since an earlier look.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            calls: self.calls - before.calls,
            conditional_writes: self.conditional_writes - before.conditional_writes,
        }
    }

    /// For each of so many.
    pub(crate) fn each(self, count: f64) -> Self {
        Self { calls: self.calls / count, conditional_writes: self.conditional_writes / count }
    }
}

/// All metrics of one server.
pub(crate) struct Metrics(String);

impl Metrics {
    /// Asks the admin port.
    pub(crate) async fn of(admin: SocketAddr) -> Result<Self> {
        let mut stream = TcpStream::connect(admin).await?;
        let request = "GET /metrics HTTP/1.1\r\nHost: onced\r\nConnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).await?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await?;
        Ok(Self(text))
    }

    /// The sum of a metric over those of its labels that have this text in them.
    pub(crate) fn sum(&self, name: &str, label: &str) -> f64 {
        let of_name = self.0.lines().filter_map(|line| line.strip_prefix(name));
        let sample = |rest: &str| {
            let (labels, value) = rest.trim().rsplit_once(' ').unwrap_or(("", rest.trim()));
            let is_of_it = labels.is_empty() || labels.starts_with('{');
            if is_of_it && labels.contains(label) { value.parse::<f64>().ok() } else { None }
        };
        of_name.filter_map(sample).sum()
    }

    /// What was asked of the store.
    pub(crate) fn operations(&self) -> Operations {
        let calls = "onced_store_call_duration_seconds_count";
        let of = |call: &str| self.sum(calls, call);
        Operations {
            calls: of("call=\"load\"") + of("call=\"compare_and_set\""),
            conditional_writes: self.sum("onced_store_lwt_total", ""),
        }
    }
}

#[cfg(test)]
mod tests;
