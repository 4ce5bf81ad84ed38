//! Backups and restores that are killed at any moment: never half a copy under its name, never a
//! restored store without its gap.

use std::{fs, time::Instant};

use onced::{
    gap,
    store::{Page, Store, embedded},
};
use tokio::{process::Child, time::sleep};

use super::*;
use crate::histories::chance::{self, Chance};

/// Enough that copying takes a while.
const RECORDS: usize = 3_000;
/// Restores that are killed.
const ROUNDS: u32 = 60;

/// A server with many records.
async fn filled() -> Binary {
    let server = Binary::with(POLICY, &[]).await;
    let calls = server.calls();
    for part in 0..RECORDS / 500 {
        let intents: Vec<_> =
            (0..500).map(|key| intent("payments", "payout", &format!("{part}-{key}"))).collect();
        for ruling in calls.batch_claim(batch(&intents)).await.expect("rulings") {
            ruling.expect("a ruling");
        }
    }
    server
}

/// The folder has no store, or a restored one, whole and with its gap open.
async fn none_or_whole(folder: &Path) -> bool {
    if !folder.join("onced.sqlite").exists() {
        return false;
    }
    let engine = embedded::Embedded::open(&embedded::Options::at(folder)).expect("an engine");
    let all = engine.memories(None).await.expect("memories");
    assert!(gap::is_open(&all, "payments", "payout"), "{all:?}");
    assert!(gap::is_open(&all, "payments", "bonus"), "{all:?}");
    let (mut page, mut found) = (Page { cursor: Vec::new(), size: 1_000 }, 0);
    loop {
        let listing = engine.scan(None, &page).await.expect("records");
        found += listing.found.len();
        let Some(cursor) = listing.next else { break };
        page.cursor = cursor;
    }
    assert_eq!(found, RECORDS);
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_that_is_killed_leaves_no_store_or_one_with_its_gap_open() {
    let server = filled().await;
    let copy = back_up(&server).await;
    let chance = Chance::of(chance::seed());
    let (reading, writing) = measured(&copy).await;
    let (mut none, mut done) = (0, 0);
    for round in 0..ROUNDS {
        let ground = ground();
        let folder = ground.folder();
        let mut child = restoring(&copy, &folder);
        let mut chance = chance.part(round.into());
        // From the first instruction on, and most of them while something is written.
        if round.is_multiple_of(4) {
            sleep(within(&mut chance, reading)).await;
        } else {
            has_begun(&folder).await;
            sleep(within(&mut chance, writing * 3 / 2)).await;
        }
        child.kill().await.expect("a kill");
        if none_or_whole(&folder).await {
            done += 1;
            continue;
        }
        none += 1;
        // What was left is no obstacle.
        restore(&copy, &folder).await.ended(0);
        assert!(none_or_whole(&folder).await);
    }
    assert!(none > 0 && done > 0, "{none} were cut off, {done} were done");
}

fn restoring(copy: &Path, folder: &Path) -> Child {
    command(&["restore", text_of(copy), "--data", text_of(folder)])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process")
}

/// How long a restore reads here, and how long it then writes.
async fn measured(copy: &Path) -> (Duration, Duration) {
    let ground = ground();
    let begun = Instant::now();
    let mut child = restoring(copy, &ground.folder());
    has_begun(&ground.folder()).await;
    let reading = begun.elapsed();
    child.wait().await.expect("its end");
    (reading, begun.elapsed().saturating_sub(reading))
}

/// It owns the folder, and is about to write.
async fn has_begun(folder: &Path) {
    let end = Instant::now() + BOUND;
    while !folder.join("onced.lock").exists() {
        assert!(Instant::now() < end, "it does not begin");
        sleep(Duration::from_micros(200)).await;
    }
}

fn within(chance: &mut Chance, span: Duration) -> Duration {
    let micros = u64::try_from(span.as_micros()).expect("a short time");
    Duration::from_micros(chance.below(micros.max(1)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_that_is_killed_leaves_nothing_under_its_name_or_all_of_it() {
    let mut server = filled().await;
    let begun = Instant::now();
    back_up(&server).await;
    let whole = begun.elapsed();
    let (mut none, mut done) = (0, 0);
    for round in 0..12 {
        let name = format!("killed-{round}");
        let copy = server.folder().join("backups").join(&name);
        let endpoint = format!("http://{}", server.address);
        let mut asked = command(&["backup", "--name", &name, "--endpoint", &endpoint])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a process");
        // The last one is let go to its end.
        let patience = if round < 11 { whole * round / 6 } else { BOUND };
        let _ = timeout(patience, asked.wait()).await;
        server.kill9();
        asked.kill().await.expect("a kill");
        if copy.exists() {
            done += 1;
            let ground = ground();
            restore(&copy, &ground.folder()).await.ended(0);
            assert!(none_or_whole(&ground.folder()).await);
        } else {
            none += 1;
        }
        server.restart().await;
    }
    // What was cut off is no obstacle to the next one of that name.
    onced_at(server.address, &["backup", "--name", "killed-0"]).await.ended(0);
    assert!(none > 0 && done > 0, "{none} were cut off, {done} were done");
}

/// They keep what was cut off from being taken for a copy: here is what it would be.
#[tokio::test]
async fn half_a_copy_is_refused() {
    let server = filled().await;
    let copy = back_up(&server).await;
    let files = Files::new();
    let bytes = fs::read(&copy).expect("a copy");
    fs::write(files.file("half"), &bytes[..bytes.len() / 2]).expect("a file");
    let refused = restore(&files.file("half"), &ground().folder()).await.ended(64);
    assert!(refused.err.contains("half is damaged"), "{refused:#?}");
}
