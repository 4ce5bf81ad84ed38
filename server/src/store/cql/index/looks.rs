//! Hits, checked against their records, a bounded number at a time.

use futures_util::{StreamExt, TryStreamExt, stream};

use super::{AT_ONCE, Looks, place::Place};
use crate::{
    intent::IntentId,
    store::{Error, Look, Stored},
};

/// A hit and its record.
pub(super) type Found = (IntentId, Stored);

/// The records of these places, in their order; what has none is left out.
pub(super) async fn records(
    look: &dyn Looks,
    namespace: &str,
    places: &[Place],
) -> Result<Vec<(Place, Found)>, Error> {
    let mut checked = Vec::with_capacity(places.len());
    for place in places {
        checked.push((place.clone(), place.intent(namespace)?));
    }
    let looks = checked.into_iter().map(|(place, intent)| async move {
        let stored = look.look(&intent, Look::Recent).await?;
        Ok(stored.map(|stored| (place, (intent, stored))))
    });
    stream::iter(looks)
        .buffered(AT_ONCE)
        .try_filter_map(async |found| Ok(found))
        .try_collect()
        .await
}
