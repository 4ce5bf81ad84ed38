//! What a lone call waits for: nothing but its own work.

use std::time::{Duration, Instant};

use onced_tests::harness::{InProcess, request::*};

/// The shortest time for which a system holds an acknowledgement back, in the hope of sending it
/// with something else.
const DELAYED_ACKNOWLEDGEMENT: Duration = Duration::from_millis(40);

#[tokio::test]
async fn an_answer_does_not_wait_until_its_caller_acknowledges_the_head_of_it() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.granted(&intent).await;
    let mut times = Vec::new();
    for _ in 0..41 {
        let sent = Instant::now();
        calls.get(get(&intent)).await.expect("an intent");
        times.push(sent.elapsed());
    }
    times.sort_unstable();
    assert!(times[20] < DELAYED_ACKNOWLEDGEMENT, "{times:?}");
}
