//! Many settled rows by PostgreSQL's own bulk means: COPY, before there is an index.

use anyhow::Result;
use bytes::Bytes;
use futures_util::SinkExt as _;
use tokio_postgres::Client;
use uuid::Uuid;

use crate::{claims::HASH, keys};

const COPY: &str = "COPY intents (key, payload, holder, outcome) FROM STDIN";
const ROWS_AT_A_TIME: u64 = 1_000;

/// Puts so many settled rows into the table.
pub(super) async fn load(client: &Client, count: u64) -> Result<()> {
    let sink = client.copy_in::<_, Bytes>(COPY).await?;
    let mut sink = Box::pin(sink);
    let mut first = 0;
    while first < count {
        let next = count.min(first + ROWS_AT_A_TIME);
        let rows: String = (first..next).map(row).collect();
        sink.send(rows.into()).await?;
        first = next;
    }
    sink.as_mut().finish().await?;
    Ok(())
}

fn row(number: u64) -> String {
    let (key, holder) = (keys::loaded(number), Uuid::new_v4());
    format!("{key}\t{HASH}\t{holder}\tsucceeded ch_1764518400000000\n")
}
