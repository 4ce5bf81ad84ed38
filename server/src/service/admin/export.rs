//! Export: every record as it is stored, page by page, then the memories and the count.
//!
//! Reads only. Tells of every part whether anything of it could still change.

use std::sync::Arc;

use data_encoding::BASE64URL_NOPAD;
use onced_proto::admin::v1;
use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::{super::Service, Stream, scope};
use crate::{
    gap,
    intent::RESERVED_NAMESPACE,
    keeper::{Held, Hold},
    status::{Denial, operator},
    store::{Error, Listing, Page, Remembered},
    transfer::Tally,
    violation::Violation,
    wire::transfer,
};

/// Records that are read at once: each may have a result of a mebibyte.
const PAGE: usize = 32;
/// About how large a part is, in bytes; most clients refuse more than 4 MiB.
const PART_BYTES: usize = 1 << 20;

type Parts = mpsc::Sender<Result<v1::ExportResponse, Status>>;

/// One export under way.
struct Export {
    service: Arc<Service>,
    namespace: Option<String>,
    cursor: Vec<u8>,
    tally: Tally,
    /// The seal under which it reads, once nothing that was taken before can be under way.
    seal: Option<Held>,
    parts: Parts,
}

/// Whoever asked is gone.
struct Gone;

pub(super) fn export(
    service: Arc<Service>,
    request: &v1::ExportRequest,
) -> Result<Stream<v1::ExportResponse>, Status> {
    let malformed = |violation| Denial::Malformed(vec![violation]).status();
    let namespace = scope(&request.namespace).map_err(malformed)?.map(str::to_owned);
    let cursor = BASE64URL_NOPAD.decode(request.cursor.as_bytes()).map_err(|_| {
        malformed(Violation::new("", "cursor", "is not of an answer to this very question"))
    })?;
    let (parts, stream) = mpsc::channel(2);
    let export = Export { service, namespace, cursor, tally: Tally::default(), seal: None, parts };
    tokio::spawn(export.run());
    Ok(Box::pin(ReceiverStream::new(stream)))
}

impl Export {
    async fn run(mut self) {
        let service = self.service.clone();
        let parts = self.parts.clone();
        let told = tokio::select! {
            biased;
            () = service.load.draining().cancelled() => Err(Denial::Draining.status()),
            told = self.tell() => told.map_err(|error| operator::failed(&error)),
        };
        if let Err(status) = told {
            let _ = parts.send(Err(status)).await;
        }
    }

    async fn tell(&mut self) -> Result<(), Error> {
        loop {
            let sealed = self.is_sealed().await?;
            let page = Page { cursor: self.cursor.clone(), size: PAGE };
            let listing = self.store().scan(self.namespace.as_deref(), &page).await?;
            let next = listing.next.clone();
            if self.tell_page(listing, sealed).await.is_err() {
                return Ok(());
            }
            match next {
                Some(cursor) => self.cursor = cursor,
                None => return self.tell_end(sealed).await,
            }
        }
    }

    fn store(&self) -> Arc<dyn crate::store::Store> {
        self.service.keeper.store()
    }

    /// Nothing can change any more, wherever it was taken.
    async fn is_sealed(&mut self) -> Result<bool, Error> {
        let (keeper, namespace) = (&self.service.keeper, self.namespace.as_deref());
        let held = keeper.held(namespace).await?;
        if held.hold != Hold::Sealed {
            self.seal = None;
        } else if self.seal != Some(held) {
            let sealed = keeper.sealed(namespace, self.service.bounds.call_max).await?;
            self.seal = Some(held).filter(|_| sealed);
        }
        Ok(self.seal.is_some())
    }

    /// In parts that are not too large; the last one has the cursor.
    async fn tell_page(&mut self, listing: Listing, sealed: bool) -> Result<(), Gone> {
        let mut part = v1::ExportResponse { sealed, ..v1::ExportResponse::default() };
        let mut bytes = 0;
        for (intent, stored) in &listing.found {
            self.tally.count(intent, stored.record.revision);
            let record = transfer::exported(intent, stored);
            let more = record.encoded_len();
            if bytes > 0 && bytes + more > PART_BYTES {
                self.send(std::mem::take(&mut part.records), sealed, "").await?;
                bytes = 0;
            }
            bytes += more;
            part.records.push(record);
        }
        let cursor = listing.next.map(|next| BASE64URL_NOPAD.encode(&next)).unwrap_or_default();
        self.send(part.records, sealed, &cursor).await
    }

    async fn send(
        &self,
        records: Vec<v1::ExportedRecord>,
        sealed: bool,
        cursor: &str,
    ) -> Result<(), Gone> {
        let part = v1::ExportResponse {
            records,
            sealed,
            cursor: cursor.to_owned(),
            ..v1::ExportResponse::default()
        };
        self.parts.send(Ok(part)).await.map_err(|_| Gone)
    }

    async fn tell_end(&self, sealed: bool) -> Result<(), Error> {
        let memories = exported(self.store().memories(None).await?, self.namespace.as_deref());
        let end = v1::ExportEnd {
            records_count: i64::try_from(self.tally.records).unwrap_or(i64::MAX),
            digest: self.tally.digest().into(),
        };
        let part = v1::ExportResponse {
            sealed,
            memories: memories.iter().filter_map(transfer::exported_memory).collect(),
            end: Some(end),
            ..v1::ExportResponse::default()
        };
        let _ = self.parts.send(Ok(part)).await;
        Ok(())
    }
}

/// What is remembered of a namespace, or of all; and of operations without a memory of their own,
/// where a restore has left a mark.
fn exported(all: Vec<Remembered>, namespace: Option<&str>) -> Vec<Remembered> {
    let Some(namespace) = namespace else { return all };
    let mark = gap::mark_among(&all, namespace).map(|memory| Remembered {
        namespace: RESERVED_NAMESPACE.to_owned(),
        operation: gap::mark_name(Some(namespace)),
        memory,
    });
    let own = all.into_iter().filter(|it| it.namespace == namespace);
    own.chain(mark).collect()
}
