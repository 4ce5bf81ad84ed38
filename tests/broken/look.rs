//! Looks at what is no longer so.

use std::{collections::HashMap, sync::Mutex};

use onced::{
    intent::IntentId,
    store::{Answer, Lease, Look, Store, Stored},
};

use super::{Flaw, locked};

/// Answers fresh looks from what it saw before.
#[derive(Default)]
pub struct FreshFromCache(Mutex<HashMap<IntentId, Stored>>);

/// Judges a lease once, and remembers the verdict with the revision.
#[derive(Default)]
pub struct LeaseFromCache(Mutex<HashMap<IntentId, Stored>>);

/// Takes what it cannot say for none.
pub struct SettledHidden;

impl Flaw for FreshFromCache {
    fn load<'a>(
        &'a self,
        whole: &'a dyn Store,
        intent: &'a IntentId,
        look: Look,
    ) -> Answer<'a, Option<Stored>> {
        Box::pin(async move {
            if let Some(seen) = locked(&self.0).get(intent) {
                return Ok(Some(seen.clone()));
            }
            let stored = whole.load(intent, look).await?;
            if let Some(stored) = &stored {
                locked(&self.0).insert(intent.clone(), stored.clone());
            }
            Ok(stored)
        })
    }
}

impl Flaw for LeaseFromCache {
    fn load<'a>(
        &'a self,
        whole: &'a dyn Store,
        intent: &'a IntentId,
        look: Look,
    ) -> Answer<'a, Option<Stored>> {
        Box::pin(async move {
            let Some(stored) = whole.load(intent, look).await? else { return Ok(None) };
            let lease = self.judged_before(intent, &stored).unwrap_or(stored.lease);
            let stored = Stored { lease, ..stored };
            locked(&self.0).insert(intent.clone(), stored.clone());
            Ok(Some(stored))
        })
    }
}

impl LeaseFromCache {
    fn judged_before(&self, intent: &IntentId, stored: &Stored) -> Option<Lease> {
        let seen = locked(&self.0);
        let before = seen.get(intent)?;
        (before.record.revision == stored.record.revision).then_some(before.lease)
    }
}

impl Flaw for SettledHidden {
    fn load<'a>(
        &'a self,
        whole: &'a dyn Store,
        intent: &'a IntentId,
        look: Look,
    ) -> Answer<'a, Option<Stored>> {
        Box::pin(async move {
            let stored = whole.load(intent, look).await?;
            Ok(stored.filter(|stored| stored.record.settlement().is_none()))
        })
    }
}
