//! Reloading, against real files.

use std::{collections::HashSet, fs};

use super::*;
use crate::{
    clock::Timestamp,
    intent::IntentId,
    record::{EffectClass, Revision},
    store::{
        Answer, Error, Find, Listing, Look, Memory, Page, Remembered, Scope, Set, Stored, Write,
    },
};

const CHARGE: &str = "[namespaces.payments.operations.charge]\neffect_class = 'external'\n";
const REFUND: &str = "[namespaces.payments.operations.refund]\neffect_class = 'accumulative'\n";

/// A store that only knows which operations have unsettled intents, or fails to say.
#[derive(Default)]
struct Ledger {
    unsettled: Mutex<HashSet<(String, String)>>,
    down: bool,
}

impl Ledger {
    fn settle_all(&self) {
        self.unsettled.lock().unwrap().clear();
    }
}

const UNASKED: &str = "policies ask for unsettled intents only";

impl Store for Ledger {
    fn any_unsettled<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, bool> {
        let name = (namespace.to_owned(), operation.to_owned());
        Box::pin(async move {
            if self.down {
                return Err(Error::Unavailable("it sleeps".to_owned()));
            }
            Ok(self.unsettled.lock().unwrap().contains(&name))
        })
    }

    fn load<'a>(&'a self, _: &'a IntentId, _: Look) -> Answer<'a, Option<Stored>> {
        unreachable!("{UNASKED}")
    }

    fn compare_and_set<'a>(&'a self, _: &'a IntentId, _: &'a Write) -> Answer<'a, Set> {
        unreachable!("{UNASKED}")
    }

    fn unreconciled<'a>(&'a self, _: &'a Scope, _: &'a Page) -> Answer<'a, Listing> {
        unreachable!("{UNASKED}")
    }

    fn late_reports<'a>(&'a self, _: &'a Scope, _: Timestamp, _: &'a Page) -> Answer<'a, Listing> {
        unreachable!("{UNASKED}")
    }

    fn find<'a>(&'a self, _: &'a str, _: &'a Find) -> Answer<'a, Vec<(IntentId, Stored)>> {
        unreachable!("{UNASKED}")
    }

    fn memory<'a>(&'a self, _: &'a str, _: &'a str) -> Answer<'a, Option<Memory>> {
        unreachable!("{UNASKED}")
    }

    fn set_memory<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: Option<Revision>,
        _: &'a Memory,
    ) -> Answer<'a, Memory> {
        unreachable!("{UNASKED}")
    }

    fn scan<'a>(&'a self, _: Option<&'a str>, _: &'a Page) -> Answer<'a, Listing> {
        unreachable!("{UNASKED}")
    }

    fn memories<'a>(&'a self, _: Option<&'a str>) -> Answer<'a, Vec<Remembered>> {
        unreachable!("{UNASKED}")
    }

    fn clock_bound(&self) -> Duration {
        unreachable!("{UNASKED}")
    }
}

/// A directory with a policy file, and the policies opened on it.
struct House {
    directory: tempfile::TempDir,
    ledger: Arc<Ledger>,
    policies: Arc<Policies>,
}

impl House {
    fn of(text: &str, ledger: Ledger, mode: Mode) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("policy.toml");
        fs::write(&path, text).unwrap();
        let ledger = Arc::new(ledger);
        let policies = Policies::open(Some(path), mode, ledger.clone()).unwrap();
        Self { directory, ledger, policies: Arc::new(policies) }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("policy.toml")
    }

    fn write(&self, text: &str) {
        fs::write(self.path(), text).unwrap();
    }

    fn class(&self, operation: &str) -> Option<EffectClass> {
        self.policies.current().policy("payments", operation).map(|policy| policy.effect_class)
    }

    /// Reloads and expects a refusal; answers the ends of its faults.
    #[track_caller]
    fn refused(&self, done: &Reload) -> Vec<String> {
        let Reload::Refused(faults) = done else { panic!("taken: {done:?}") };
        assert_eq!(self.policies.refusal(), *faults);
        let path = self.path().display().to_string();
        faults.iter().map(|fault| fault.to_string().replace(&path, "p")).collect()
    }
}

fn unsettled(operations: &[&str]) -> Ledger {
    let names = operations.iter().map(|name| ("payments".to_owned(), (*name).to_owned()));
    Ledger { unsettled: Mutex::new(names.collect()), down: false }
}

#[tokio::test]
async fn a_changed_file_is_in_force_after_a_reload() {
    let house = House::of(CHARGE, Ledger::default(), Mode::Serve);
    assert_eq!(house.policies.reload().await, Reload::Unchanged);
    house.write(&format!("{CHARGE}{REFUND}"));
    assert_eq!(house.policies.reload().await, Reload::Taken);
    assert_eq!(house.class("refund"), Some(EffectClass::Accumulative));
}

#[tokio::test]
async fn a_bad_file_keeps_the_old_policies_and_says_why() {
    let house = House::of(CHARGE, Ledger::default(), Mode::Serve);
    let digest = house.policies.current().digest().to_owned();
    house.write(&format!("{CHARGE}lease = '1s'\n{REFUND}retension = '9d'\n"));
    let faults = house.refused(&house.policies.reload().await);
    assert_eq!(faults.len(), 3);
    assert!(faults[0].starts_with("p:1: payments/charge: effect_timeout"), "{faults:?}");
    assert!(faults[1].starts_with("p:3: payments/charge: lease 1s is under 2s"), "{faults:?}");
    assert_eq!(faults[2], "p:6: payments/refund: retension is not a setting here");
    assert_eq!(house.policies.current().digest(), digest);
    assert_eq!(house.class("refund"), None);
    house.write(CHARGE);
    assert_eq!(house.policies.reload().await, Reload::Unchanged);
    assert_eq!(house.policies.refusal(), []);
}

#[tokio::test]
async fn a_lost_or_emptied_file_keeps_the_old_policies() {
    let house = House::of(CHARGE, Ledger::default(), Mode::Serve);
    house.write("");
    house.refused(&house.policies.reload().await);
    fs::remove_file(house.path()).unwrap();
    let faults = house.refused(&house.policies.reload().await);
    assert!(faults[0].starts_with("p: cannot be read: "), "{faults:?}");
    assert_eq!(house.class("charge"), Some(EffectClass::External));
}

#[tokio::test]
async fn an_operation_with_unsettled_intents_cannot_be_removed() {
    let house = House::of(&format!("{CHARGE}{REFUND}"), unsettled(&["refund"]), Mode::Serve);
    house.write(CHARGE);
    let faults = house.refused(&house.policies.reload().await);
    assert_eq!(faults, ["p: payments/refund is removed, but it has unsettled intents"]);
    assert_eq!(house.class("refund"), Some(EffectClass::Accumulative));
    house.ledger.settle_all();
    assert_eq!(house.policies.reload().await, Reload::Taken);
    assert_eq!(house.class("refund"), None);
}

#[tokio::test]
async fn an_operation_cannot_be_removed_while_the_store_does_not_answer() {
    let down = Ledger { down: true, ..Ledger::default() };
    let house = House::of(&format!("{CHARGE}{REFUND}"), down, Mode::Serve);
    house.write(REFUND);
    let faults = house.refused(&house.policies.reload().await);
    let expected = "p: payments/charge is removed, but whether it has unsettled intents is not \
                    known: the store is unavailable: it sleeps";
    assert_eq!(faults, [expected]);
}

#[tokio::test]
async fn in_development_a_removed_operation_falls_back_to_keyed() {
    let house = House::of(CHARGE, unsettled(&["charge"]), Mode::Dev);
    house.write("");
    assert_eq!(house.policies.reload().await, Reload::Taken);
    assert_eq!(house.class("charge"), Some(EffectClass::Keyed));
}

#[test]
fn the_first_file_must_be_good() {
    let open = |mode, path| Policies::open(path, mode, Arc::new(Ledger::default()));
    let faults = open(Mode::Serve, None).err().unwrap();
    assert_eq!(faults, [Fault::new("--policy", "is required without --dev")]);
    assert!(open(Mode::Dev, None).is_ok());
    assert!(open(Mode::Dev, Some("/nowhere/policy.toml".into())).is_err());
}

#[tokio::test]
async fn the_watch_takes_a_swapped_symlink_and_ends_at_shutdown() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("one"), CHARGE).unwrap();
    fs::write(at("two"), format!("{CHARGE}{REFUND}")).unwrap();
    std::os::unix::fs::symlink(at("one"), at("policy.toml")).unwrap();
    let ledger = Arc::new(Ledger::default());
    let policies = Policies::open(Some(at("policy.toml")), Mode::Serve, ledger).unwrap();
    let policies = Arc::new(policies);
    let mut changes = policies.current.subscribe();
    let shutdown = CancellationToken::new();
    let every = Duration::from_millis(1);
    let watch = tokio::spawn(policies.clone().watch(every, shutdown.clone()));
    std::os::unix::fs::symlink(at("two"), at("next")).unwrap();
    fs::rename(at("next"), at("policy.toml")).unwrap();
    changes.changed().await.unwrap();
    assert!(policies.current().policy("payments", "refund").is_some());
    shutdown.cancel();
    watch.await.unwrap();
}
