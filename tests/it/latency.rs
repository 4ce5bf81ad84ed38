//! What a lone call waits for: nothing but its own work.

use std::time::{Duration, Instant};

use onced_tests::harness::{Binary, request::*};

/// The shortest time for which a system holds an acknowledgement back, in the hope of sending it
/// with something else.
const DELAYED_ACKNOWLEDGEMENT: Duration = Duration::from_millis(40);

// On one thread the parts of an answer would leave together.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_does_not_wait_until_its_caller_acknowledges_the_head_of_it() {
    let server = Binary::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.succeeded(&intent, &"=".repeat(60)).await;
    let mut times = Vec::new();
    for _ in 0..41 {
        let sent = Instant::now();
        calls.get(get_whole(&intent)).await.expect("an intent");
        times.push(sent.elapsed());
    }
    times.sort_unstable();
    assert!(times[20] < DELAYED_ACKNOWLEDGEMENT, "{times:?}");
}
