//! An export or an import that is killed in the middle goes on, and nothing is left behind.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use onced::{
    intent::IntentId,
    store::{Answer, Listing, Page, Set, Store, Write},
};
use onced_tests::{
    broken::{Flaw, over},
    harness::{
        Binary, Engine, Ground, InProcess, Setup,
        in_process::{START, Wrap},
        request::*,
    },
};
use tokio::sync::Semaphore;

use super::{Files, all, export, import, path, run, same, seal, server, setup, spawn, thaw};

/// More than a page or two, and more than one call carries.
const MANY: usize = 700;

/// Lets so many calls pass and holds the next ones, until it is opened.
#[derive(Clone)]
struct Turnstile {
    pass: Arc<Semaphore>,
    passed: Arc<AtomicUsize>,
}

impl Turnstile {
    fn with(passes: usize) -> Self {
        Self { pass: Arc::new(Semaphore::new(passes)), passed: Arc::default() }
    }

    fn open(&self) {
        self.pass.add_permits(MANY * 10);
    }

    async fn pass(&self) {
        self.pass.acquire().await.expect("it stays").forget();
        self.passed.fetch_add(1, Ordering::SeqCst);
    }

    /// Until all have passed that may, and one more waits or is about to.
    async fn until(&self, passed: usize) {
        while self.passed.load(Ordering::SeqCst) < passed {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// The pages of scans go through it.
struct Scans(Turnstile);

/// Writes go through it.
struct Writes(Turnstile);

impl Flaw for Scans {
    fn scan<'a>(
        &'a self,
        whole: &'a dyn Store,
        namespace: Option<&'a str>,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        Box::pin(async move {
            self.0.pass().await;
            whole.scan(namespace, page).await
        })
    }
}

impl Flaw for Writes {
    fn compare_and_set<'a>(
        &'a self,
        whole: &'a Arc<dyn Store>,
        intent: &'a IntentId,
        write: &'a Write,
    ) -> Answer<'a, Set> {
        Box::pin(async move {
            self.0.pass().await;
            whole.compare_and_set(intent, write).await
        })
    }
}

async fn behind<F: Flaw>(flaw: impl Fn() -> F + Send + Sync + 'static) -> InProcess {
    let wrap: Wrap = Arc::new(move |store| over(store, flaw()));
    let setup = Setup { wrap: Some(wrap), ..setup() };
    InProcess::at(Arc::new(Ground::default()), START, setup).await
}

async fn fill(server: &InProcess) {
    let calls = server.calls();
    let intents: Vec<_> = (0..MANY).map(|number| charge(&format!("k{number}"))).collect();
    for intents in intents.chunks(100) {
        let mut many = batch(intents);
        for claim in &mut many.requests {
            // Outlasts the move.
            claim.lease = span(Duration::from_secs(240));
        }
        calls.batch_claim(many).await.expect("results");
    }
}

async fn until_longer_than(file: &Path, length: u64) {
    while std::fs::metadata(file).map_or(0, |file| file.len()) <= length {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn an_export_that_was_killed_goes_on_from_its_last_whole_page() {
    let (files, turnstile) = (Files::new(), Turnstile::with(4));
    let source = behind({
        let turnstile = turnstile.clone();
        move || Scans(turnstile.clone())
    })
    .await;
    fill(&source).await;
    seal(source.address).await;
    let file = files.file("out");
    let words = ["export", "--all", "--to", path(&file)];
    let mut killed = spawn(source.address, &words);
    turnstile.until(4).await;
    until_longer_than(&file, 10_000).await;
    killed.kill().await.expect("a kill");
    turnstile.open();

    let target = server(Engine::chosen(), START).await;
    seal(target.address).await;
    let refused = import(target.address, &file).await.ended(64);
    assert!(refused.err.contains("cut off"), "{refused:#?}");
    export(source.address, &file).await.ended(64);
    let pages = turnstile.passed.load(Ordering::SeqCst);
    let whole = run(source.address, &[&words[..], &["--resume"]].concat()).await.ended(0);
    assert_eq!(whole.row("records"), MANY as u64);
    let more = turnstile.passed.load(Ordering::SeqCst) - pages;
    assert!(more < MANY.div_ceil(32), "{more} pages: it began anew");
    let imported = import(target.address, &file).await.ended(0);
    assert_eq!(imported.row("written"), MANY as u64);
    same(&all(source.store()).await, &all(target.store()).await);
}

#[tokio::test]
async fn an_import_that_was_killed_is_run_again_and_counts_what_stands() {
    let (files, turnstile) = (Files::new(), Turnstile::with(600));
    let source = server(Engine::chosen(), START).await;
    fill(&source).await;
    let file = files.file("out");
    export(source.address, &file).await.ended(0);
    let target = behind({
        let turnstile = turnstile.clone();
        move || Writes(turnstile.clone())
    })
    .await;
    seal(target.address).await;
    let mut killed = spawn(target.address, &["import", path(&file)]);
    turnstile.until(600).await;
    killed.kill().await.expect("a kill");
    turnstile.open();
    let imported = import(target.address, &file).await.ended(0);
    let [written, already] = ["written", "there already"].map(|row| imported.row(row));
    assert_eq!(written + already, MANY as u64);
    assert!(already >= 500, "{imported:#?}");
    same(&all(source.store()).await, &all(target.store()).await);
}

#[tokio::test]
async fn a_target_that_was_killed_has_what_it_answered_and_takes_the_rest() {
    let files = Files::new();
    let source = server(Engine::Embedded, START).await;
    fill(&source).await;
    seal(source.address).await;
    let file = files.file("out");
    export(source.address, &file).await.ended(0);
    let mut target = Binary::start().await;
    seal(target.address).await;
    let log = target.folder().join("onced.sqlite-wal");
    let before = std::fs::metadata(&log).map_or(0, |log| log.len());
    let mut importing = spawn(target.address, &["import", path(&file), "--timeout", "1s"]);
    until_longer_than(&log, before + 50_000).await;
    target.kill9();
    importing.wait().await.expect("its end");
    target.restart().await;
    let imported = import(target.address, &file).await.ended(0);
    let [written, already] = ["written", "there already"].map(|row| imported.row(row));
    assert_eq!(written + already, MANY as u64);
    assert!(already > 0, "{imported:#?}");
    thaw(target.address).await;
    for number in [0, MANY - 1] {
        let key = charge(&format!("k{number}"));
        assert_eq!(target.calls().get(get(&key)).await.expect("an intent").attempt, 1);
    }
}
