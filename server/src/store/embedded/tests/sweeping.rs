//! What has expired leaves the file.

use super::*;

#[tokio::test]
async fn expired_rows_and_results_leave_the_file() {
    let often = Duration::from_millis(1);
    let bench = Bench::with(|options| Options { sweep_interval: often, ..options });
    for number in 0..600 {
        let intent = intent(&format!("k{number}"));
        let record = sample::succeeded_as(&sample::record(&intent, NOON), "ch");
        let settled = Write {
            expiry: Expiry::After(sample::seconds(if number == 0 { 1_000 } else { 10 })),
            result: ResultWrite::Set("paid".into()),
            result_expiry: Expiry::After(sample::seconds(10)),
            ..sample::create(record)
        };
        bench.engine.compare_and_set(&intent, &settled).await.unwrap();
    }
    bench.pass(11);
    let raw = bench.raw();
    let left = "SELECT (SELECT count(*) FROM claims), (SELECT count(result) FROM claims),
         (SELECT count(*) FROM provider_references)";
    let left = || raw.query_row(left, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    while left().unwrap() != (1_i64, 0_i64, 1_i64) {
        tokio::time::sleep(often).await;
    }
    assert!(bench.load("k0").await.is_some());
}
