//! Plain requests: what they fail with is never in doubt, since nothing rests on them.

use futures_util::{StreamExt, stream::BoxStream};
use scylla::{
    deserialize::row::DeserializeRow, serialize::row::SerializeRow,
    statement::prepared::PreparedStatement,
};

use super::Index;
use crate::store::{Error, cql::fault};

/// A row of values that are its own.
pub(super) trait Owned:
    for<'frame, 'metadata> DeserializeRow<'frame, 'metadata> + Send
{
}

impl<R> Owned for R where R: for<'frame, 'metadata> DeserializeRow<'frame, 'metadata> + Send {}

impl Index {
    pub(super) async fn write(
        &self,
        statement: &PreparedStatement,
        values: impl SerializeRow,
    ) -> Result<(), Error> {
        let result = Box::pin(self.session.execute_unpaged(statement, values)).await;
        result.map(drop).map_err(|error| fault::of_read(&error))
    }

    /// Rows of a statement that says how many at most.
    pub(super) async fn rows<R: Owned>(
        &self,
        statement: &PreparedStatement,
        values: impl SerializeRow,
    ) -> Result<Vec<R>, Error> {
        let result = Box::pin(self.session.execute_unpaged(statement, values)).await;
        let rows = result.map_err(|error| fault::of_read(&error))?.into_rows_result();
        let rows = rows.map_err(|error| fault::of_row(&error))?;
        let rows = rows.rows().map_err(|error| fault::of_row(&error))?;
        rows.map(|row| row.map_err(|error| fault::of_row(&error))).collect()
    }

    /// Rows without a bound, page by page.
    pub(super) async fn stream<R: Owned + 'static>(
        &self,
        statement: &PreparedStatement,
        values: impl SerializeRow,
    ) -> Result<BoxStream<'static, Result<R, Error>>, Error> {
        let pager = self.session.execute_iter(statement.clone(), values).await;
        let pager = pager.map_err(|error| fault::of_read(&error))?;
        let rows = pager.rows_stream::<R>().map_err(|error| fault::of_row(&error))?;
        Ok(rows.map(|row| row.map_err(|error| fault::of_read(&error))).boxed())
    }
}
