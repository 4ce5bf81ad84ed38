//! The policies in force: reloaded when the file changes; a bad file changes nothing.
//!
//! Never forgets the last good set, and never drops an operation that has unsettled intents.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{Mode, PolicySet, Rules};
use crate::{fault::Fault, store::Store};

/// The policies in force.
pub struct Policies {
    file: Option<PathBuf>,
    rules: Rules,
    store: Arc<dyn Store>,
    current: watch::Sender<Arc<PolicySet>>,
    /// One reload at a time.
    reloading: tokio::sync::Mutex<()>,
    /// Why the file as it stands is not in force.
    refusal: Mutex<Vec<Fault>>,
}

/// What a reload did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reload {
    /// The file is the one in force.
    Unchanged,
    /// The file is in force from now on.
    Taken,
    /// The file is refused; what was in force stays so.
    Refused(Vec<Fault>),
}

impl Policies {
    /// Reads the file for the first time. `file` may be absent in development only.
    pub fn open(
        file: Option<PathBuf>,
        rules: impl Into<Rules>,
        store: Arc<dyn Store>,
    ) -> Result<Self, Vec<Fault>> {
        let rules = rules.into();
        let set = match &file {
            Some(path) => parse(&read(path)?, path, &rules)?,
            None if rules.mode == Mode::Dev => PolicySet::dev(None),
            None => return Err(vec![Fault::new("--policy", "is required without --dev")]),
        };
        log_notes(&set);
        Ok(Self {
            file,
            rules,
            store,
            current: watch::Sender::new(Arc::new(set)),
            reloading: tokio::sync::Mutex::default(),
            refusal: Mutex::default(),
        })
    }

    /// The set in force.
    pub fn current(&self) -> Arc<PolicySet> {
        self.current.borrow().clone()
    }

    /// Why the file as it stands is not in force; empty if it is.
    pub fn refusal(&self) -> Vec<Fault> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the file again.
    pub async fn reload(&self) -> Reload {
        let Some(path) = &self.file else { return Reload::Unchanged };
        let _alone = self.reloading.lock().await;
        let done = self.reload_from(path.clone()).await;
        self.tell(&done);
        done
    }

    async fn reload_from(&self, path: PathBuf) -> Reload {
        let text = match read_elsewhere(path.clone()).await {
            Ok(text) => text,
            Err(faults) => return Reload::Refused(faults),
        };
        let old = self.current();
        if super::file::digest_of(&text) == old.digest() {
            return Reload::Unchanged;
        }
        let new = match parse(&text, &path, &self.rules) {
            Ok(new) => new,
            Err(faults) => return Reload::Refused(faults),
        };
        let faults = self.unsettled_removals(&old, &new, &path).await;
        if !faults.is_empty() {
            return Reload::Refused(faults);
        }
        self.current.send_replace(Arc::new(new));
        Reload::Taken
    }

    /// A fault for each operation that has left the file, unless all its intents are surely
    /// settled.
    async fn unsettled_removals(
        &self,
        old: &PolicySet,
        new: &PolicySet,
        path: &Path,
    ) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (namespace, operation, _) in old.iter() {
            if new.policy(namespace, operation).is_some() {
                continue;
            }
            let why = match self.store.any_unsettled(namespace, operation).await {
                Ok(false) => continue,
                Ok(true) => "it has unsettled intents".to_owned(),
                Err(error) => format!("whether it has unsettled intents is not known: {error}"),
            };
            let message = format!("{namespace}/{operation} is removed, but {why}");
            faults.push(Fault::new(path.display().to_string(), message));
        }
        faults
    }

    /// Logs what happened; the same refusal once only.
    fn tell(&self, done: &Reload) {
        let faults = match done {
            Reload::Unchanged => Vec::new(),
            Reload::Taken => {
                let set = self.current();
                tracing::info!(digest = set.digest(), "policies reloaded");
                log_notes(&set);
                Vec::new()
            }
            Reload::Refused(faults) => faults.clone(),
        };
        let mut refusal = self.refusal.lock().unwrap_or_else(PoisonError::into_inner);
        if !faults.is_empty() && *refusal != faults {
            let faults = crate::fault::listed(&faults);
            tracing::warn!(faults, "the policy file is refused; the policies in force stay");
        }
        *refusal = faults;
    }

    /// Reloads whenever the file has changed, until `shutdown`. Compares the content itself: that
    /// holds where a time stamp does not (a swapped symlink, a write within the same tick).
    pub async fn watch(self: Arc<Self>, every: Duration, shutdown: CancellationToken) {
        while shutdown.run_until_cancelled(tokio::time::sleep(every)).await.is_some() {
            self.reload().await;
        }
    }
}

fn log_notes(set: &PolicySet) {
    for note in super::report::notes(set) {
        tracing::info!(note, "policy");
    }
}

fn parse(text: &str, path: &Path, rules: &Rules) -> Result<PolicySet, Vec<Fault>> {
    let set = PolicySet::parse(text, &path.display().to_string(), rules.clone())?;
    Ok(if rules.mode == Mode::Dev { PolicySet::dev(Some(set)) } else { set })
}

fn read(path: &Path) -> Result<String, Vec<Fault>> {
    std::fs::read_to_string(path).map_err(|error| {
        vec![Fault::new(path.display().to_string(), format!("cannot be read: {error}"))]
    })
}

/// Reads on a thread of its own: the file may lie on a slow mount.
async fn read_elsewhere(path: PathBuf) -> Result<String, Vec<Fault>> {
    let reading = tokio::task::spawn_blocking(move || read(&path)).await;
    reading.unwrap_or_else(|error| Err(vec![Fault::new("policy file", error.to_string())]))
}

#[cfg(test)]
mod tests;
