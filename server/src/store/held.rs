//! A store that several hands hold is a store.

use std::{sync::Arc, time::Duration};

use super::{
    Answer, Find, Listing, Look, Memory, Page, Remembered, Scope, Set, Store, Stored, Trouble,
    Write,
};
use crate::{clock::Timestamp, intent::IntentId, record::Revision};

impl<S: Store + ?Sized> Store for Arc<S> {
    fn load<'a>(&'a self, intent: &'a IntentId, look: Look) -> Answer<'a, Option<Stored>> {
        (**self).load(intent, look)
    }

    fn compare_and_set<'a>(&'a self, intent: &'a IntentId, write: &'a Write) -> Answer<'a, Set> {
        (**self).compare_and_set(intent, write)
    }

    fn unreconciled<'a>(&'a self, scope: &'a Scope, page: &'a Page) -> Answer<'a, Listing> {
        (**self).unreconciled(scope, page)
    }

    fn late_reports<'a>(
        &'a self,
        scope: &'a Scope,
        since: Timestamp,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        (**self).late_reports(scope, since, page)
    }

    fn find<'a>(&'a self, namespace: &'a str, by: &'a Find) -> Answer<'a, Vec<(IntentId, Stored)>> {
        (**self).find(namespace, by)
    }

    fn any_unsettled<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, bool> {
        (**self).any_unsettled(namespace, operation)
    }

    fn memory<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, Option<Memory>> {
        (**self).memory(namespace, operation)
    }

    fn set_memory<'a>(
        &'a self,
        namespace: &'a str,
        operation: &'a str,
        expected: Option<Revision>,
        memory: &'a Memory,
    ) -> Answer<'a, Memory> {
        (**self).set_memory(namespace, operation, expected, memory)
    }

    fn scan<'a>(&'a self, namespace: Option<&'a str>, page: &'a Page) -> Answer<'a, Listing> {
        (**self).scan(namespace, page)
    }

    fn memories<'a>(&'a self, namespace: Option<&'a str>) -> Answer<'a, Vec<Remembered>> {
        (**self).memories(namespace)
    }

    fn clock_bound(&self) -> Duration {
        (**self).clock_bound()
    }

    fn is_shared(&self) -> bool {
        (**self).is_shared()
    }

    fn trouble(&self) -> Option<Trouble> {
        (**self).trouble()
    }
}
