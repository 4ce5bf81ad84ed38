//! A part of a shared store that nobody else sees, so that tests with the same names do not meet:
//! every namespace has a prefix below it, and none above.

use std::{sync::Arc, time::Duration};

use onced::{
    clock::Timestamp,
    intent::IntentId,
    record::Revision,
    store::{
        Answer, Find, Listing, Look, Memory, Page, Remembered, Scope, Set, Store, Stored, Trouble,
        Write,
    },
};
use uuid::Uuid;

/// The part.
pub struct Scoped {
    whole: Arc<dyn Store>,
    prefix: String,
}

impl Scoped {
    /// An empty one.
    pub fn over(whole: Arc<dyn Store>) -> Self {
        let prefix = format!("t{}-", &Uuid::new_v4().simple().to_string()[..12]);
        Self { whole, prefix }
    }

    fn below(&self, intent: &IntentId) -> IntentId {
        named(&self.namespace(intent.namespace()), intent)
    }

    fn above(&self, intent: &IntentId) -> IntentId {
        let namespace = intent.namespace().strip_prefix(&self.prefix);
        named(namespace.expect("an intent of this part"), intent)
    }

    fn namespace(&self, namespace: &str) -> String {
        format!("{}{namespace}", self.prefix)
    }

    fn scope(&self, scope: &Scope) -> Scope {
        Scope { namespace: self.namespace(&scope.namespace), operation: scope.operation.clone() }
    }

    fn listed(&self, listing: Listing) -> Listing {
        Listing { found: self.found(listing.found), next: listing.next }
    }

    fn found(&self, found: Vec<(IntentId, Stored)>) -> Vec<(IntentId, Stored)> {
        found.into_iter().map(|(intent, stored)| (self.above(&intent), stored)).collect()
    }
}

fn named(namespace: &str, intent: &IntentId) -> IntentId {
    let renamed = IntentId::new("scoped", namespace, intent.operation(), intent.key());
    renamed.expect("names that are valid with a prefix")
}

impl Store for Scoped {
    fn load<'a>(&'a self, intent: &'a IntentId, look: Look) -> Answer<'a, Option<Stored>> {
        Box::pin(async move { self.whole.load(&self.below(intent), look).await })
    }

    fn compare_and_set<'a>(&'a self, intent: &'a IntentId, write: &'a Write) -> Answer<'a, Set> {
        Box::pin(async move { self.whole.compare_and_set(&self.below(intent), write).await })
    }

    fn unreconciled<'a>(&'a self, scope: &'a Scope, page: &'a Page) -> Answer<'a, Listing> {
        Box::pin(async move {
            Ok(self.listed(self.whole.unreconciled(&self.scope(scope), page).await?))
        })
    }

    fn late_reports<'a>(
        &'a self,
        scope: &'a Scope,
        since: Timestamp,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        Box::pin(async move {
            Ok(self.listed(self.whole.late_reports(&self.scope(scope), since, page).await?))
        })
    }

    fn find<'a>(&'a self, namespace: &'a str, by: &'a Find) -> Answer<'a, Vec<(IntentId, Stored)>> {
        Box::pin(
            async move { Ok(self.found(self.whole.find(&self.namespace(namespace), by).await?)) },
        )
    }

    fn any_unsettled<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, bool> {
        Box::pin(
            async move { self.whole.any_unsettled(&self.namespace(namespace), operation).await },
        )
    }

    fn memory<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, Option<Memory>> {
        Box::pin(async move { self.whole.memory(&self.namespace(namespace), operation).await })
    }

    fn set_memory<'a>(
        &'a self,
        namespace: &'a str,
        operation: &'a str,
        expected: Option<Revision>,
        memory: &'a Memory,
    ) -> Answer<'a, Memory> {
        Box::pin(async move {
            self.whole.set_memory(&self.namespace(namespace), operation, expected, memory).await
        })
    }

    fn scan<'a>(&'a self, namespace: Option<&'a str>, page: &'a Page) -> Answer<'a, Listing> {
        Box::pin(async move {
            let namespace = namespace.map(|namespace| self.namespace(namespace));
            let mut listing = self.whole.scan(namespace.as_deref(), page).await?;
            listing.found.retain(|(intent, _)| intent.namespace().starts_with(&self.prefix));
            Ok(self.listed(listing))
        })
    }

    fn memories<'a>(&'a self, namespace: Option<&'a str>) -> Answer<'a, Vec<Remembered>> {
        Box::pin(async move {
            let namespace = namespace.map(|namespace| self.namespace(namespace));
            let mut all = self.whole.memories(namespace.as_deref()).await?;
            all.retain_mut(|remembered| {
                let above = remembered.namespace.strip_prefix(&self.prefix).map(str::to_owned);
                let is_ours = above.is_some();
                remembered.namespace = above.unwrap_or_default();
                is_ours
            });
            Ok(all)
        })
    }

    fn clock_bound(&self) -> Duration {
        self.whole.clock_bound()
    }

    fn is_shared(&self) -> bool {
        self.whole.is_shared()
    }

    fn trouble(&self) -> Option<Trouble> {
        self.whole.trouble()
    }
}
