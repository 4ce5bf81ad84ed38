//! The intents that the provider's side points to.

use super::{
    Index, Looks,
    looks::{Found, records},
    mark::Name,
    place::Place,
};
use crate::{
    record::Record,
    store::{Error, Find},
};

/// Most intents that a name finds.
const FOUND_MAX: usize = 100;
/// Most rows of a name that are checked.
const CHECKED_MAX: i32 = 1_000;

impl Index {
    /// The intents of a namespace whose records bear this name.
    pub(in crate::store::cql) async fn find(
        &self,
        look: &dyn Looks,
        namespace: &str,
        by: &Find,
    ) -> Result<Vec<Found>, Error> {
        let name = match by {
            Find::ProviderKey(key) => Name::Key(key),
            Find::ProviderReference(reference) => Name::Reference(reference),
        };
        let values = (namespace, name.text(), CHECKED_MAX);
        let rows = self.rows::<(String, String)>(&self.statements.named, values).await?;
        let places: Vec<_> =
            rows.into_iter().map(|(operation, key)| Place { time: 0, operation, key }).collect();
        let mut found = Vec::new();
        for places in places.chunks(FOUND_MAX) {
            let hits = records(look, namespace, places).await?.into_iter().map(|(_, hit)| hit);
            found.extend(hits.filter(|(_, stored)| bears(&stored.record, by)));
            if found.len() >= FOUND_MAX {
                break;
            }
        }
        found.truncate(FOUND_MAX);
        Ok(found)
    }
}

fn bears(record: &Record, name: &Find) -> bool {
    match name {
        Find::ProviderKey(key) => record.provider_key == *key,
        Find::ProviderReference(reference) => {
            record.provider_references().contains(reference.as_str())
        }
    }
}
