//! Every record, in the order of the ring.
//!
//! Each one is looked at afresh, so that a write that was answered is in it, whatever the row
//! showed.

use futures_util::{StreamExt, TryStreamExt, stream};
use uuid::Uuid;

use super::{AT_ONCE, Index, Looks, place};
use crate::{
    intent::IntentId,
    store::{Error, Listing, Look, Page, Stored},
};

/// Most records of a page.
const PAGE_MAX: usize = 1_000;
/// What a cursor of this listing begins with.
const TAG: u8 = 3;

/// Names, revision, and the place on the ring.
type Row = (String, String, String, Option<Uuid>, i64);

impl Index {
    /// Every record that has not expired, of one namespace or of all, with its result.
    pub(in crate::store::cql) async fn scan(
        &self,
        look: &dyn Looks,
        namespace: Option<&str>,
        page: &Page,
    ) -> Result<Listing, Error> {
        let size = page.size.clamp(1, PAGE_MAX);
        let limit = i32::try_from(size + 1).unwrap_or(i32::MAX);
        let rows = self.rows::<Row>(&self.statements.ring, (place(page)?, limit)).await?;
        let (rows, next) = cut(rows, size)?;
        let wanted = rows
            .into_iter()
            .filter(|row| row.3.is_some() && namespace.is_none_or(|namespace| row.0 == namespace));
        let looks: Vec<_> = wanted.map(|row| found(look, row)).collect();
        let found: Vec<Option<_>> = stream::iter(looks).buffered(AT_ONCE).try_collect().await?;
        Ok(Listing { found: found.into_iter().flatten().collect(), next })
    }
}

async fn found(
    look: &dyn Looks,
    (namespace, operation, key, ..): Row,
) -> Result<Option<(IntentId, Stored)>, Error> {
    let intent = place::intent(&namespace, &operation, &key)?;
    let stored = look.look(&intent, Look::Fresh).await?;
    Ok(stored.map(|stored| (intent, stored)))
}

/// A page's rows, and where to go on. Rows of one place on the ring stay on one page, since the
/// next one starts after that place.
fn cut(mut rows: Vec<Row>, size: usize) -> Result<(Vec<Row>, Option<Vec<u8>>), Error> {
    let Some(&(.., over)) = rows.get(size) else { return Ok((rows, None)) };
    rows.retain(|&(.., place)| place != over);
    let last = rows.last().map(|&(.., place)| place);
    // Only where more rows share a place than a page can hold.
    let last = last.ok_or_else(|| Error::Unavailable("the page is too small".to_owned()))?;
    Ok((rows, Some([&[TAG][..], &last.to_be_bytes()].concat())))
}

fn place(page: &Page) -> Result<i64, Error> {
    match page.cursor.split_first() {
        None => Ok(i64::MIN),
        Some((&TAG, place)) => place.try_into().map(i64::from_be_bytes).map_err(|_| foreign()),
        Some(_) => Err(foreign()),
    }
}

fn foreign() -> Error {
    Error::Corrupt("the cursor of the scan is not this engine's".to_owned())
}

#[cfg(test)]
mod tests;
