//! The payload as it is typed: a JSON text, a file, or the hash alone.

use std::{fs, io::Read, path::Path};

use anyhow::Context;
use clap::Args;
use onced_proto::v1::{Payload, payload};

/// Exactly one of these where a payload is required.
#[derive(Clone, Debug, Default, Args)]
#[group(multiple = false)]
#[command(next_help_heading = "Payload: what is asked for; the same key with another is refused")]
pub(super) struct PayloadArgs {
    /// A JSON text, hashed in canonical form
    #[arg(long, value_name = "TEXT")]
    json: Option<String>,
    /// The same from a file; - is standard input
    #[arg(long, value_name = "FILE")]
    json_file: Option<String>,
    /// Any bytes from a file, hashed as they are; or -
    #[arg(long, value_name = "FILE")]
    bytes_file: Option<String>,
    /// sha256, jcs-sha256; others are compared as opaque
    #[arg(long, value_name = "SCHEME:HEX", value_parser = hash)]
    hash: Option<String>,
}

impl PayloadArgs {
    /// A JSON text, as if it had been typed.
    pub(super) fn of_json(text: String) -> Self {
        Self { json: Some(text), ..Self::default() }
    }

    /// Whether nothing was typed.
    pub(super) fn is_absent(&self) -> bool {
        self.typed().is_empty()
    }

    /// The message; none if nothing was given.
    pub(super) fn read(&self) -> anyhow::Result<Option<Payload>> {
        let payload = if let Some(text) = &self.json {
            payload::Payload::Json(text.clone())
        } else if let Some(file) = &self.json_file {
            let text = String::from_utf8(content("--json-file", file)?);
            payload::Payload::Json(text.with_context(|| format!("--json-file {file}"))?)
        } else if let Some(file) = &self.bytes_file {
            payload::Payload::Bytes(content("--bytes-file", file)?.into())
        } else if let Some(hash) = &self.hash {
            payload::Payload::Hash(hash.clone())
        } else {
            return Ok(None);
        };
        Ok(Some(Payload { payload: Some(payload) }))
    }

    /// The options as they were typed, for the next command.
    pub(super) fn typed(&self) -> Vec<(&'static str, String)> {
        [
            ("--json", &self.json),
            ("--json-file", &self.json_file),
            ("--bytes-file", &self.bytes_file),
            ("--hash", &self.hash),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.clone()?)))
        .collect()
    }
}

/// The content of a file that an option names.
pub(super) fn content(option: &str, file: &str) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = if file == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(Path::new(file))
    };
    read.with_context(|| format!("{option} {file}"))
}

fn hash(text: &str) -> Result<String, String> {
    let well_formed = text.split_once(':').is_some_and(|(scheme, digest)| {
        !scheme.is_empty()
            && !digest.is_empty()
            && digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    });
    if well_formed {
        Ok(text.to_owned())
    } else {
        Err("write it as <scheme>:<lower-case hex>".into())
    }
}

#[cfg(test)]
mod tests;
