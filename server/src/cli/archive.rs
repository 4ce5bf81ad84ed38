//! The file of an export: a line that says what it is, then the parts as they came, each with its
//! length before it.
//!
//! A file that was cut off is gone on with from its last whole page; nothing of it is believed that
//! its own count does not confirm.

use std::{
    fs::{File, OpenOptions},
    io::{BufReader, BufWriter, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use onced_proto::admin::v1::{ExportEnd, ExportResponse};
use prost::Message;

use crate::{transfer::Tally, wire::transfer};

/// Larger than any part that a server sends.
const PART_MAX: usize = 16 << 20;

/// The first line, but for whose records they are; `*` is everybody's.
const HEAD: &str = "onced export 1 ";

/// What is known of the parts read or written so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    /// Their records.
    pub(super) tally: Tally,
    /// How many operations' memories.
    pub(super) memories: usize,
    /// None of it could change any more when it was read.
    pub(super) sealed: bool,
    /// Where the server goes on.
    pub(super) cursor: String,
    /// The last part was among them.
    pub(super) is_whole: bool,
}

impl Sum {
    fn new() -> Self {
        Self { sealed: true, ..Self::default() }
    }

    fn take(&mut self, part: &ExportResponse) -> anyhow::Result<()> {
        for record in &part.records {
            let carried = transfer::carried(record.clone());
            let (intent, stored) = carried.map_err(|why| anyhow::anyhow!("a record: {why}"))?;
            self.tally.count(&intent, stored.record.revision);
        }
        self.memories += part.memories.len();
        self.sealed &= part.sealed;
        if !part.cursor.is_empty() {
            self.cursor.clone_from(&part.cursor);
        }
        self.is_whole = part.end.is_some();
        Ok(())
    }

    /// Its count, as the wire has it.
    pub(super) fn end(&self) -> ExportEnd {
        end(&self.tally)
    }
}

fn end(tally: &Tally) -> ExportEnd {
    ExportEnd {
        records_count: i64::try_from(tally.records).unwrap_or(i64::MAX),
        digest: tally.digest().into(),
    }
}

/// A file that is written.
pub(super) struct Writer {
    file: BufWriter<File>,
    /// Of the whole file.
    pub(super) sum: Sum,
    /// Of what came since it was opened: what the server's own count is about.
    since: Tally,
}

impl Writer {
    /// A new file, for its owner alone: it holds results.
    pub(super) fn create(path: &Path, namespace: &str) -> anyhow::Result<Self> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        let file = file.with_context(|| {
            format!("{}: cannot be made; with --resume it is gone on with", path.display())
        })?;
        let mut file = BufWriter::new(file);
        file.write_all(head(namespace).as_bytes())?;
        Ok(Self { file, sum: Sum::new(), since: Tally::default() })
    }

    /// A file that was cut off, up to its last whole page.
    pub(super) fn resume(path: &Path, namespace: &str) -> anyhow::Result<Self> {
        let mut reader = Reader::open(path)?;
        ensure!(
            head(&reader.namespace) == head(namespace),
            "{}: holds another namespace",
            path.display()
        );
        let (mut sum, mut kept, mut length) = (Sum::new(), Sum::new(), reader.position);
        while let Ok(Some(part)) = reader.next() {
            if sum.take(&part).is_err() {
                break;
            }
            if sum.is_whole || !part.cursor.is_empty() {
                (kept, length) = (sum.clone(), reader.position);
            }
        }
        let file = OpenOptions::new().append(true).open(path)?;
        file.set_len(length)?;
        Ok(Self { file: BufWriter::new(file), sum: kept, since: Tally::default() })
    }

    /// Takes one part; the last one with the count of the whole file.
    pub(super) fn put(&mut self, mut part: ExportResponse) -> anyhow::Result<()> {
        let mut came = Sum::new();
        came.take(&part)?;
        self.since.merge(&came.tally);
        self.sum.take(&part)?;
        if let Some(told) = &mut part.end {
            ensure!(*told == end(&self.since), "what arrived is not what the server counted");
            *told = self.sum.end();
            part.sealed = self.sum.sealed;
        }
        self.file.write_all(&part.encode_length_delimited_to_vec())?;
        if !part.cursor.is_empty() || part.end.is_some() {
            self.file.flush()?;
        }
        Ok(())
    }

    /// On the disk.
    pub(super) fn finish(self) -> anyhow::Result<Sum> {
        let file = self.file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.sync_all()?;
        Ok(self.sum)
    }
}

fn head(namespace: &str) -> String {
    format!("{HEAD}{}\n", if namespace.is_empty() { "*" } else { namespace })
}

/// A file that is read.
pub(super) struct Reader {
    file: BufReader<File>,
    path: PathBuf,
    namespace: String,
    position: u64,
}

impl Reader {
    /// The file, if it is one of an export.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let file = File::open(path).with_context(|| path.display().to_string())?;
        let mut reader = Self {
            file: BufReader::new(file),
            path: path.to_owned(),
            namespace: String::new(),
            position: 0,
        };
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') && line.len() < HEAD.len() + 256 {
            let Some(byte) = reader.byte()? else { break };
            line.push(byte);
        }
        let line = String::from_utf8(line).unwrap_or_default();
        let named = line.strip_prefix(HEAD).and_then(|rest| rest.strip_suffix('\n'));
        let Some(named) = named else { bail!("{}: is no export of onced", path.display()) };
        reader.namespace = if named == "*" { String::new() } else { named.to_owned() };
        Ok(reader)
    }

    /// The next part; none at the end of the file.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<ExportResponse>> {
        let Some(length) = self.length()? else { return Ok(None) };
        ensure!(length <= PART_MAX, "{}: is damaged", self.path.display());
        let mut bytes = vec![0; length];
        self.file.read_exact(&mut bytes).with_context(|| self.cut_off())?;
        self.position += length as u64;
        let part = ExportResponse::decode(&*bytes);
        Ok(Some(part.with_context(|| format!("{}: is damaged", self.path.display()))?))
    }

    /// What the whole file holds, if it is whole and its count is right.
    pub(super) fn check(path: &Path) -> anyhow::Result<Sum> {
        let (mut reader, mut sum) = (Self::open(path)?, Sum::new());
        let mut told = None;
        while let Some(part) = reader.next()? {
            sum.take(&part)?;
            told = part.end;
        }
        let Some(told) = told else { bail!(reader.cut_off()) };
        ensure!(told == sum.end(), "{}: is damaged: its count is not right", path.display());
        Ok(sum)
    }

    fn cut_off(&self) -> String {
        format!("{}: is cut off; export --resume goes on with it", self.path.display())
    }

    /// Seven bits in each byte, the lowest first.
    fn length(&mut self) -> anyhow::Result<Option<usize>> {
        let mut length = 0;
        for place in 0..5 {
            let Some(byte) = self.byte()? else {
                ensure!(place == 0, self.cut_off());
                return Ok(None);
            };
            length |= usize::from(byte & 0x7F) << (7 * place);
            if byte & 0x80 == 0 {
                return Ok(Some(length));
            }
        }
        bail!("{}: is damaged", self.path.display())
    }

    fn byte(&mut self) -> anyhow::Result<Option<u8>> {
        let mut byte = [0];
        let read = self.file.read(&mut byte)?;
        self.position += read as u64;
        Ok((read == 1).then_some(byte[0]))
    }
}

#[cfg(test)]
mod tests;
