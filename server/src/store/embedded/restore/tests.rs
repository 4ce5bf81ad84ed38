use std::{sync::Arc, time::Duration};

use tempfile::TempDir;

use super::*;
use crate::{
    clock::{Clock, ManualClock},
    intent::IntentId,
    store::{
        Store,
        conformance::sample,
        embedded::{Embedded, Options},
    },
};

const START: Timestamp = Timestamp(1_772_000_000_000_000);
const HOUR: Duration = Duration::from_secs(3_600);

/// A backup with one operation, made an hour after its first use.
struct Bench {
    folder: TempDir,
    copy: PathBuf,
}

impl Bench {
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let copy = folder.path().join("copy");
        let clock = Arc::new(ManualClock::at(START));
        let engine = open(&folder.path().join("first"), &clock).unwrap();
        engine.set_memory("payments", "charge", None, &sample::memory(START)).await.unwrap();
        for key in 0..8 {
            let intent = IntentId::new("", "payments", "charge", format!("k-{key}")).unwrap();
            let claim = sample::claim(sample::record(&intent, START), 30);
            engine.compare_and_set(&intent, &claim).await.unwrap();
        }
        clock.advance(HOUR);
        engine.backup(&copy).await.unwrap();
        Self { folder, copy }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn raw(&self) -> Connection {
        Connection::open(&self.copy).unwrap()
    }

    #[track_caller]
    fn refused(&self, parts: &[&str]) {
        let refusal = restore(&self.copy, &self.data(), START).unwrap_err();
        let RestoreError::Refused(wrong) = &refusal else { panic!("{refusal:?}") };
        let told = wrong.join("\n");
        for part in parts {
            assert!(told.contains(part), "no {part:?} in: {told}");
        }
        assert!(told.contains("copy"), "no name in: {told}");
        assert!(!self.data().exists(), "nothing is made for a copy that is none");
    }
}

fn open(folder: &Path, clock: &Arc<ManualClock>) -> Result<Embedded, OpenError> {
    let clock = Some(clock.clone() as Arc<dyn Clock>);
    Embedded::open(&Options { clock, ..Options::at(folder) })
}

#[tokio::test]
async fn the_memory_starts_at_the_restore_and_its_gap_is_open() {
    let bench = Bench::new().await;
    let now = START.after(HOUR * 5);
    let restored = restore(&bench.copy, &bench.data(), now).unwrap();
    assert_eq!((restored.backup_time, restored.memory_start), (START.after(HOUR), now));
    assert_eq!((restored.records, restored.operations), (8, 1));
    let engine = open(&bench.data(), &Arc::new(ManualClock::at(now))).unwrap();
    let charge = engine.memory("payments", "charge").await.unwrap().unwrap();
    assert_eq!((charge.start, charge.restored, charge.gap), (now, true, true));
    let mark = gap::mark(&engine, "payments").await.unwrap();
    assert_eq!(gap::forgotten_since(mark.as_ref()), START.after(HOUR));
    assert!(mark.is_some_and(|mark| mark.gap && mark.start == now));
    let all = engine.memories(None).await.unwrap();
    assert_eq!(all.iter().filter_map(gap::entry).count(), 1, "it is audited");
}

/// The tokens of what is forgotten lie below the time of the restore, whatever this machine thinks.
#[tokio::test]
async fn where_the_clock_is_behind_the_memory_starts_at_the_latest_time_on_file() {
    let bench = Bench::new().await;
    let restored = restore(&bench.copy, &bench.data(), START.before(HOUR)).unwrap();
    assert_eq!(restored.memory_start, START.after(HOUR));
    assert_eq!(restored.high_water, START.after(HOUR));
    let file = Connection::open(Folder::database_in(&bench.data())).unwrap();
    assert_eq!(high_water::read(&file).unwrap(), START.after(HOUR));
}

#[tokio::test]
async fn time_goes_on_from_the_restore() {
    let bench = Bench::new().await;
    let now = START.after(HOUR * 5);
    restore(&bench.copy, &bench.data(), now).unwrap();
    let file = Connection::open(Folder::database_in(&bench.data())).unwrap();
    assert_eq!(high_water::read(&file).unwrap(), now);
}

/// Put in place by hand it would grant again what it has forgotten.
#[tokio::test]
async fn a_backup_is_not_served_before_it_was_restored() {
    let bench = Bench::new().await;
    fs::create_dir(bench.data()).unwrap();
    fs::copy(&bench.copy, Folder::database_in(&bench.data())).unwrap();
    let refusal = open(&bench.data(), &Arc::new(ManualClock::at(START))).unwrap_err();
    assert!(matches!(refusal, OpenError::IsBackup(_)), "{refusal}");
    assert!(refusal.to_string().contains("onced restore"), "{refusal}");
}

#[tokio::test]
async fn a_folder_in_which_a_restore_was_cut_off_is_not_served_and_the_restore_goes_again() {
    let bench = Bench::new().await;
    fs::create_dir(bench.data()).unwrap();
    fs::write(bench.data().join("onced.restoring"), "half").unwrap();
    let refusal = open(&bench.data(), &Arc::new(ManualClock::at(START))).unwrap_err();
    assert!(matches!(refusal, OpenError::CutOff(_)), "{refusal}");
    restore(&bench.copy, &bench.data(), START).unwrap();
    assert!(!bench.data().join("onced.restoring").exists());
    open(&bench.data(), &Arc::new(ManualClock::at(START))).unwrap();
}

#[tokio::test]
async fn nothing_is_restored_over_a_store_or_its_log() {
    for name in ["onced.sqlite", "onced.sqlite-wal", "onced.sqlite-shm", "onced.sqlite-journal"] {
        let bench = Bench::new().await;
        fs::create_dir(bench.data()).unwrap();
        fs::write(bench.data().join(name), "mine").unwrap();
        let refusal = restore(&bench.copy, &bench.data(), START).unwrap_err();
        assert!(refusal.to_string().contains(name), "{refusal}");
        assert_eq!(fs::read(bench.data().join(name)).unwrap(), b"mine");
    }
}

#[tokio::test]
async fn of_two_restores_at_once_one_is_refused_and_the_other_is_whole() {
    let bench = Bench::new().await;
    let (copy, data) = (&bench.copy, &bench.data());
    let done = std::thread::scope(|scope| {
        let both = [0; 2].map(|_| scope.spawn(move || restore(copy, data, START)));
        both.map(|one| one.join().unwrap())
    });
    assert_eq!(done.iter().filter(|one| one.is_ok()).count(), 1, "{done:?}");
    let engine = open(data, &Arc::new(ManualClock::at(START))).unwrap();
    let all = engine.memories(None).await.unwrap();
    assert!(gap::is_open(&all, "payments", "charge") && gap::is_open(&all, "a", "b"));
}

#[tokio::test]
async fn what_is_no_backup_is_refused_by_name() {
    let bench = Bench::new().await;
    for (bytes, part) in [(&b""[..], "not a database"), (b"PK\x03\x04 a zip", "not a database")] {
        fs::write(&bench.copy, bytes).unwrap();
        bench.refused(&[part]);
    }
    fs::remove_file(&bench.copy).unwrap();
    bench.refused(&["cannot be read"]);
    fs::create_dir(&bench.copy).unwrap();
    bench.refused(&["cannot be read"]);
}

#[tokio::test]
async fn another_programs_database_is_refused() {
    let bench = Bench::new().await;
    fs::remove_file(&bench.copy).unwrap();
    bench.raw().execute_batch("CREATE TABLE claims (a); CREATE TABLE meta (name, value);").unwrap();
    bench.refused(&["not onced's"]);
}

#[tokio::test]
async fn a_newer_layout_is_refused() {
    let bench = Bench::new().await;
    bench.raw().execute("UPDATE meta SET value = 99 WHERE name = 'layout'", []).unwrap();
    bench.refused(&["layout 99", "use a newer version"]);
}

/// It may lack what its log held: nobody could tell.
#[tokio::test]
async fn the_file_of_a_store_itself_is_refused() {
    let bench = Bench::new().await;
    fs::copy(bench.folder.path().join("first/onced.sqlite"), &bench.copy).unwrap();
    bench.refused(&["the file of a store itself"]);
    let bench = Bench::new().await;
    bench.raw().execute("DELETE FROM meta WHERE name = 'backup_time'", []).unwrap();
    bench.refused(&["not made by `onced backup`"]);
    let bench = Bench::new().await;
    fs::write(beside(&bench.copy, "-wal"), "log").unwrap();
    bench.refused(&["copy-wal lies beside it"]);
}

#[tokio::test]
async fn everything_that_is_wrong_is_told_at_once() {
    let bench = Bench::new().await;
    fs::write(beside(&bench.copy, "-wal"), "").unwrap();
    fs::create_dir(bench.data()).unwrap();
    fs::write(bench.data().join("onced.sqlite"), "mine").unwrap();
    bench
        .raw()
        .execute_batch(
            "DELETE FROM meta WHERE name = 'backup_time';
         DROP TRIGGER claims_one_row;
         INSERT INTO claims (identity, namespace, operation, key, revision, first_claim_time,
             settled, record)
         VALUES (zeroblob(32), 'payments', 'charge', 'k', zeroblob(16), 0, 0, x'ffff'),
                (randomblob(32), 'no name!', 'charge', 'k', zeroblob(16), 0, 0, x'0863');",
        )
        .unwrap();
    let refusal = restore(&bench.copy, &bench.data(), START).unwrap_err().to_string();
    for part in [
        "not made by `onced backup`",
        "lies under another intent's names",
        "names that are no intent's",
        "onced.sqlite is there",
    ] {
        assert!(refusal.contains(part), "no {part:?} in: {refusal}");
    }
}

/// A flipped bit anywhere is found, or is in what nobody reads.
#[tokio::test]
async fn a_damaged_copy_is_refused_or_complete() {
    let bench = Bench::new().await;
    let whole = fs::read(&bench.copy).unwrap();
    let records = rows(&bench.copy);
    let mut refused = 0;
    // Every byte that is in use, and some of those that are not.
    let used = |place: usize| whole[place] != 0 || place.is_multiple_of(997);
    for place in (0..whole.len()).filter(|place| used(*place)).step_by(3) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x41;
        fs::write(&bench.copy, &damaged).unwrap();
        let data = bench.data();
        if restore(&bench.copy, &data, START).is_ok() {
            assert_eq!(rows(&Folder::database_in(&data)), records, "at {place}");
            fs::remove_dir_all(&data).unwrap();
        } else {
            refused += 1;
            assert!(!Folder::database_in(&data).exists(), "at {place}");
        }
    }
    assert!(refused > 100, "{refused} damages were seen");
}

fn rows(database: &Path) -> Vec<(String, Vec<u8>)> {
    let file = Connection::open(database).unwrap();
    let mut all = file.prepare("SELECT key, record FROM claims ORDER BY id").unwrap();
    let rows = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

#[tokio::test]
async fn a_copy_that_is_cut_off_anywhere_is_refused() {
    let bench = Bench::new().await;
    let whole = fs::read(&bench.copy).unwrap();
    for length in (0..whole.len()).step_by(1_009).chain([whole.len() - 1]) {
        fs::write(&bench.copy, &whole[..length]).unwrap();
        bench.refused(&[]);
    }
}

/// A record that is there and that nobody finds would be granted again.
#[tokio::test]
async fn a_record_that_its_name_does_not_lead_to_is_refused() {
    let bench = Bench::new().await;
    let named = "UPDATE meta SET value = (SELECT max(id) FROM claims) WHERE name = 'named'";
    bench.raw().execute(named, []).unwrap();
    bench.refused(&["8 records are not found by their names"]);
}

/// The bytes can be read, and are others than were copied.
#[tokio::test]
async fn a_record_that_changed_since_it_was_copied_is_refused() {
    let bench = Bench::new().await;
    bench.raw().execute("UPDATE claims SET expires_at = 1 WHERE key = 'k-3'", []).unwrap();
    bench.refused(&["not those that were copied"]);
    let bench = Bench::new().await;
    bench.raw().execute("DELETE FROM claims WHERE key = 'k-3'", []).unwrap();
    bench.refused(&["not those that were copied"]);
}
