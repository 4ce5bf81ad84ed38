//! A full disk refuses grants and takes reports.

use super::*;

/// Grants until the disk is full; the records.
async fn fill(bench: &Bench) -> Vec<(IntentId, Record)> {
    let mut granted = Vec::new();
    loop {
        let intent = intent(&format!("k{}", granted.len()));
        let write = sample::claim(sample::record(&intent, bench.clock.now()), 3_600);
        match bench.engine.compare_and_set(&intent, &write).await {
            Ok(Set::Applied) => granted.push((intent, write.record)),
            Err(Error::Unavailable(_)) => return granted,
            other => panic!("{other:?}"),
        }
    }
}

fn small() -> Bench {
    Bench::with(|options| Options {
        size_limit_bytes: Some(1 << 19),
        reserve_bytes: 1 << 20,
        ..options
    })
}

#[tokio::test]
async fn a_full_disk_takes_every_kind_of_report() {
    let bench = small();
    let granted = fill(&bench).await;
    assert!(granted.len() > 100, "{}", granted.len());
    for (turn, (intent, record)) in granted.iter().enumerate() {
        let write = match turn % 3 {
            0 => sample::complete(record, &[7; 2_000], 86_400),
            1 => sample::lease(record, LeaseExpected::Live, 3_600),
            _ => sample::annotate(record, sample::released(record)),
        };
        assert_eq!(bench.engine.compare_and_set(intent, &write).await, Ok(Set::Applied));
    }
}

#[tokio::test]
async fn a_full_disk_refuses_grants_on_the_reserve_too() {
    let bench = small();
    let granted = fill(&bench).await;
    let (intent, record) = &granted[0];
    let report = sample::complete(record, &[7; 2_000], 86_400);
    assert_eq!(bench.engine.compare_and_set(intent, &report).await, Ok(Set::Applied));
    let (new, grant) = (super::intent("new"), bench.claim_of("new", 10));
    let refused = bench.engine.compare_and_set(&new, &grant).await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    assert_eq!(bench.load("new").await, None);
    assert!(bench.load("k1").await.is_some());
}

#[tokio::test]
async fn a_full_disk_ends_nothing_and_is_over_once_there_is_room() {
    let bench = small();
    assert_eq!(bench.engine.trouble(), None);
    let before = fill(&bench).await.len();
    assert_eq!(bench.engine.trouble(), Some(Trouble::DiskReserve));
    let Bench { engine, clock, folder } = bench;
    drop(engine);
    let engine = Embedded::open(&options(folder.path(), &clock)).unwrap();
    let bench = Bench { engine, clock, folder };
    assert_eq!(bench.engine.trouble(), None);
    bench.claim("new", 10).await;
    assert!(bench.load(&format!("k{}", before - 1)).await.is_some());
}

#[test]
fn the_reserve_takes_its_space_and_gives_it_away() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("reserve");
    let mut kept = reserve::Reserve::keep(path.clone(), 1 << 20);
    assert_eq!(fs::metadata(&path).unwrap().len(), 1 << 20);
    kept.release();
    assert!(kept.is_reached() && !path.exists());
    kept.restore();
    assert!(!kept.is_reached());
    assert_eq!(fs::metadata(&path).unwrap().len(), 1 << 20);
}

#[test]
fn a_reserve_that_is_not_there_refuses_grants_from_the_start() {
    let kept = reserve::Reserve::keep("/proc/sys/kernel/reserve".into(), 1 << 20);
    assert!(kept.is_reached());
}
