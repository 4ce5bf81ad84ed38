//! A gate between a server and its store: conditional writes are held before or after they are
//! applied, or fail.

use std::{sync::Arc, time::Duration};

use onced::{
    clock::Timestamp,
    intent::IntentId,
    record::Revision,
    store::{
        Answer, Error, Find, Listing, Look, Memory, Page, Remembered, Scope, Set, Store, Stored,
        Trouble, Write,
    },
};
use tokio::sync::{Semaphore, watch};

use super::in_process::Wrap;

/// What becomes of a conditional write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// It goes through.
    Pass,
    /// It waits on its way to the store, until the rule changes.
    HoldBefore,
    /// It is applied; its answer waits.
    HoldAfter,
    /// It does not reach the store.
    Fail(Error),
    /// It is applied; nobody hears of it.
    Unheard,
}

/// The gate's handle, for the test.
#[derive(Clone, Debug)]
pub struct Gate {
    rule: Arc<watch::Sender<Rule>>,
    held: Arc<Semaphore>,
    only: Option<String>,
}

impl Default for Gate {
    fn default() -> Self {
        let (rule, held) = (watch::Sender::new(Rule::Pass), Semaphore::new(0));
        Self { rule: Arc::new(rule), held: Arc::new(held), only: None }
    }
}

impl Gate {
    /// One that only writes to this key pass through; it does not exist for others.
    pub fn of_key(key: &str) -> Self {
        Self { only: Some(key.to_owned()), ..Self::default() }
    }

    /// From now on this becomes of conditional writes; what is held goes on if it may.
    pub fn set(&self, rule: Rule) {
        self.rule.send_replace(rule);
    }

    /// From now on they go through, and what is held goes on.
    pub fn open(&self) {
        self.set(Rule::Pass);
    }

    /// Returns when one more write is held.
    pub async fn holds_one(&self) {
        let held = tokio::time::timeout(Duration::from_secs(10), self.held.acquire()).await;
        held.expect("a write that is held in time").expect("an open semaphore").forget();
    }

    /// Puts this gate before the store of a server.
    pub fn wrap(&self) -> Option<Wrap> {
        let gate = self.clone();
        Some(Arc::new(move |store| Arc::new(Gated { gate: gate.clone(), store })))
    }

    fn rule(&self) -> Rule {
        self.rule.borrow().clone()
    }

    async fn wait_while(&self, rule: Rule) {
        if self.rule() == rule {
            self.held.add_permits(1);
            let mut changes = self.rule.subscribe();
            changes.wait_for(|now| *now != rule).await.expect("a gate that is there");
        }
    }

    async fn pass(&self, store: &dyn Store, intent: &IntentId, write: &Write) -> Answered {
        if self.only.as_ref().is_some_and(|only| only != intent.key()) {
            return store.compare_and_set(intent, write).await;
        }
        self.wait_while(Rule::HoldBefore).await;
        if let Rule::Fail(error) = self.rule() {
            return Err(error);
        }
        let answer = store.compare_and_set(intent, write).await;
        if self.rule() == Rule::Unheard {
            return Err(Error::Uncertain("nobody heard".to_owned()));
        }
        self.wait_while(Rule::HoldAfter).await;
        answer
    }
}

type Answered = Result<Set, Error>;

struct Gated {
    gate: Gate,
    store: Arc<dyn Store>,
}

impl Store for Gated {
    fn load<'a>(&'a self, intent: &'a IntentId, look: Look) -> Answer<'a, Option<Stored>> {
        self.store.load(intent, look)
    }

    fn compare_and_set<'a>(&'a self, intent: &'a IntentId, write: &'a Write) -> Answer<'a, Set> {
        Box::pin(self.gate.pass(&*self.store, intent, write))
    }

    fn unreconciled<'a>(&'a self, scope: &'a Scope, page: &'a Page) -> Answer<'a, Listing> {
        self.store.unreconciled(scope, page)
    }

    fn late_reports<'a>(
        &'a self,
        scope: &'a Scope,
        since: Timestamp,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        self.store.late_reports(scope, since, page)
    }

    fn find<'a>(&'a self, namespace: &'a str, by: &'a Find) -> Answer<'a, Vec<(IntentId, Stored)>> {
        self.store.find(namespace, by)
    }

    fn any_unsettled<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, bool> {
        self.store.any_unsettled(namespace, operation)
    }

    fn memory<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, Option<Memory>> {
        self.store.memory(namespace, operation)
    }

    fn set_memory<'a>(
        &'a self,
        namespace: &'a str,
        operation: &'a str,
        expected: Option<Revision>,
        memory: &'a Memory,
    ) -> Answer<'a, Memory> {
        self.store.set_memory(namespace, operation, expected, memory)
    }

    fn scan<'a>(&'a self, namespace: Option<&'a str>, page: &'a Page) -> Answer<'a, Listing> {
        self.store.scan(namespace, page)
    }

    fn memories<'a>(&'a self, namespace: Option<&'a str>) -> Answer<'a, Vec<Remembered>> {
        self.store.memories(namespace)
    }

    fn clock_bound(&self) -> Duration {
        self.store.clock_bound()
    }

    fn is_shared(&self) -> bool {
        self.store.is_shared()
    }

    fn trouble(&self) -> Option<Trouble> {
        self.store.trouble()
    }
}
