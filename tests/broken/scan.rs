//! Scans that would leave something behind, or carry too much.

use std::{collections::HashMap, sync::Mutex};

use onced::{
    intent::IntentId,
    store::{Answer, Lease, Listing, Page, Store, Stored},
};

use super::{Flaw, locked};

/// The last record of every page is missing.
pub struct MissesOne;

/// A page begins with the last record of the one before.
#[derive(Default)]
pub struct RepeatsOne(Mutex<Option<(IntentId, Stored)>>);

/// Only what never expires is shown.
pub struct MissesWhatExpires;

/// What was written once is shown, whatever its expiry.
#[derive(Default)]
pub struct ShowsExpired(Mutex<HashMap<IntentId, Stored>>);

/// The bytes of results are not read.
pub struct DropsResults;

/// Every lease is shown as over.
pub struct DropsLeases;

/// Nothing is shown to expire.
pub struct DropsLives;

/// The namespace is not looked at.
pub struct NamespaceIgnored;

/// A scan of which every record is changed.
fn each<'a>(
    whole: &'a dyn Store,
    namespace: Option<&'a str>,
    page: &'a Page,
    change: fn(Stored) -> Stored,
) -> Answer<'a, Listing> {
    Box::pin(async move {
        let mut listing = whole.scan(namespace, page).await?;
        for (_, stored) in &mut listing.found {
            *stored = change(stored.clone());
        }
        Ok(listing)
    })
}

macro_rules! scans {
    ($($flaw:ty: |$this:ident, $whole:ident, $namespace:ident, $page:ident| $scan:expr;)*) => {$(
        impl Flaw for $flaw {
            fn scan<'a>(
                &'a self,
                $whole: &'a dyn Store,
                $namespace: Option<&'a str>,
                $page: &'a Page,
            ) -> Answer<'a, Listing> {
                let $this = self;
                $scan
            }
        }
    )*};
}

scans! {
    MissesOne: |_this, whole, namespace, page| Box::pin(async move {
        let mut listing = whole.scan(namespace, page).await?;
        listing.found.pop();
        Ok(listing)
    });
    MissesWhatExpires: |_this, whole, namespace, page| Box::pin(async move {
        let mut listing = whole.scan(namespace, page).await?;
        listing.found.retain(|(_, stored)| stored.expires_in.is_none());
        Ok(listing)
    });
    RepeatsOne: |this, whole, namespace, page| Box::pin(async move {
        let mut listing = whole.scan(namespace, page).await?;
        let last = listing.found.last().cloned();
        let before = std::mem::replace(&mut *locked(&this.0), last);
        listing.found.splice(..0, before.filter(|_| !page.cursor.is_empty()));
        listing.found.truncate(page.size);
        Ok(listing)
    });
    DropsResults: |_this, whole, namespace, page| {
        each(whole, namespace, page, |stored| Stored { result: None, ..stored })
    };
    DropsLeases: |_this, whole, namespace, page| {
        each(whole, namespace, page, |stored| Stored { lease: Lease::Over, ..stored })
    };
    DropsLives: |_this, whole, namespace, page| {
        each(whole, namespace, page, |stored| Stored { expires_in: None, ..stored })
    };
    NamespaceIgnored: |_this, whole, _namespace, page| whole.scan(None, page);
}

impl Flaw for ShowsExpired {
    fn load<'a>(
        &'a self,
        whole: &'a dyn Store,
        intent: &'a IntentId,
        look: onced::store::Look,
    ) -> Answer<'a, Option<Stored>> {
        Box::pin(async move {
            let stored = whole.load(intent, look).await?;
            let seen = stored.clone().map(|stored| (intent.clone(), stored));
            locked(&self.0).extend(seen);
            Ok(stored)
        })
    }

    fn scan<'a>(
        &'a self,
        whole: &'a dyn Store,
        namespace: Option<&'a str>,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        Box::pin(async move {
            let mut listing = whole.scan(namespace, page).await?;
            let mut seen = locked(&self.0).clone();
            for (intent, _) in &listing.found {
                seen.remove(intent);
            }
            listing.found.extend(seen);
            Ok(listing)
        })
    }
}
