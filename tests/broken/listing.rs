//! Listings that miss something, repeat it, or show what is not theirs.

use onced::{
    clock::Timestamp,
    intent::IntentId,
    store::{Answer, Find, Listing, Page, Scope, Store, Stored},
};

use super::Flaw;

/// The last unreconciled record of every page is missing.
pub struct UnreconciledMissesOne;

/// Settled records are taken for reconciled.
pub struct UnreconciledMissesSettled;

/// Only the first page is ever given.
pub struct OnePageOnly;

/// The newest first claim comes first.
pub struct NewestFirst;

/// The operation is not looked at.
pub struct OperationIgnored;

/// The index of late reports holds open intents alone.
pub struct LateReportOfSettledMissed;

/// The time is not looked at.
pub struct SinceIgnored;

/// A namespace is looked up by the head of its name.
pub struct FoundInAnyNamespace;

/// Only references of outcomes are known.
pub struct LateReferenceMissed;

/// What is unreconciled counts as unsettled.
pub struct UnreconciledIsUnsettled;

/// Only what is held counts as unsettled.
pub struct UnsettledWhileLiveOnly;

impl Flaw for UnreconciledMissesOne {
    fn unreconciled<'a>(
        &'a self,
        whole: &'a dyn Store,
        scope: &'a Scope,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        Box::pin(async move {
            let mut listing = whole.unreconciled(scope, page).await?;
            listing.found.pop();
            Ok(listing)
        })
    }
}

impl Flaw for UnreconciledMissesSettled {
    fn unreconciled<'a>(
        &'a self,
        whole: &'a dyn Store,
        scope: &'a Scope,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        Box::pin(async move {
            let mut listing = whole.unreconciled(scope, page).await?;
            listing.found.retain(|(_, stored)| stored.record.settlement().is_none());
            Ok(listing)
        })
    }
}

impl Flaw for OnePageOnly {
    fn unreconciled<'a>(
        &'a self,
        whole: &'a dyn Store,
        scope: &'a Scope,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        Box::pin(async move {
            let listing = whole.unreconciled(scope, page).await?;
            Ok(Listing { next: None, ..listing })
        })
    }
}

impl Flaw for NewestFirst {
    fn unreconciled<'a>(
        &'a self,
        whole: &'a dyn Store,
        scope: &'a Scope,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        Box::pin(async move {
            let mut listing = whole.unreconciled(scope, page).await?;
            listing.found.reverse();
            Ok(listing)
        })
    }
}

impl Flaw for OperationIgnored {
    fn unreconciled<'a>(
        &'a self,
        whole: &'a dyn Store,
        scope: &'a Scope,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        Box::pin(async move {
            let every = Scope { operation: None, ..scope.clone() };
            whole.unreconciled(&every, page).await
        })
    }
}

impl Flaw for LateReportOfSettledMissed {
    fn late_reports<'a>(
        &'a self,
        whole: &'a dyn Store,
        scope: &'a Scope,
        since: Timestamp,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        Box::pin(async move {
            let mut listing = whole.late_reports(scope, since, page).await?;
            listing.found.retain(|(_, stored)| stored.record.settlement().is_none());
            Ok(listing)
        })
    }
}

impl Flaw for SinceIgnored {
    fn late_reports<'a>(
        &'a self,
        whole: &'a dyn Store,
        scope: &'a Scope,
        _since: Timestamp,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        Box::pin(async move { whole.late_reports(scope, Timestamp::default(), page).await })
    }
}

impl Flaw for FoundInAnyNamespace {
    fn find<'a>(
        &'a self,
        whole: &'a dyn Store,
        namespace: &'a str,
        by: &'a Find,
    ) -> Answer<'a, Vec<(IntentId, Stored)>> {
        let parent = namespace.strip_suffix("-2").unwrap_or(namespace);
        whole.find(parent, by)
    }
}

impl Flaw for LateReferenceMissed {
    fn find<'a>(
        &'a self,
        whole: &'a dyn Store,
        namespace: &'a str,
        by: &'a Find,
    ) -> Answer<'a, Vec<(IntentId, Stored)>> {
        Box::pin(async move {
            let mut found = whole.find(namespace, by).await?;
            if let Find::ProviderReference(reference) = by {
                found.retain(|(_, stored)| outcome_names(stored, reference));
            }
            Ok(found)
        })
    }
}

impl Flaw for UnreconciledIsUnsettled {
    fn any_unsettled<'a>(
        &'a self,
        whole: &'a dyn Store,
        namespace: &'a str,
        operation: &'a str,
    ) -> Answer<'a, bool> {
        Box::pin(
            async move { Ok(!unreconciled(whole, namespace, operation).await?.found.is_empty()) },
        )
    }
}

impl Flaw for UnsettledWhileLiveOnly {
    fn any_unsettled<'a>(
        &'a self,
        whole: &'a dyn Store,
        namespace: &'a str,
        operation: &'a str,
    ) -> Answer<'a, bool> {
        Box::pin(async move {
            let open = unreconciled(whole, namespace, operation).await?;
            Ok(open.found.iter().any(|(_, stored)| stored.lease.is_live()))
        })
    }
}

async fn unreconciled(
    whole: &dyn Store,
    namespace: &str,
    operation: &str,
) -> Result<Listing, onced::store::Error> {
    let scope = Scope { namespace: namespace.to_owned(), operation: Some(operation.to_owned()) };
    whole.unreconciled(&scope, &Page { cursor: Vec::new(), size: 100 }).await
}

fn outcome_names(stored: &Stored, reference: &str) -> bool {
    let outcome = stored.record.settlement().map(|settled| &settled.outcome);
    outcome.and_then(|outcome| outcome.provider_reference()) == Some(reference)
}
