use tokio::time::{Instant, sleep};

use super::*;

const KEY: Identity = Identity([7; 32]);

impl Flights {
    /// How many keys it knows.
    pub(in crate::keeper) fn len(&self) -> usize {
        self.0.iter().map(|stripe| stripe.lock().unwrap().len()).sum()
    }

    /// Boards, and calls the store if it is to; answers when the call began that it learned from.
    async fn learn(&self, takes: Duration) -> Instant {
        match self.board(KEY).await {
            Boarded::Shares(shown) => shown.unwrap().looked,
            Boarded::Leads(flight) => {
                let looked = Instant::now();
                sleep(takes).await;
                flight.land(|| Ok(View { stored: None, linearizable: true, looked }));
                looked
            }
        }
    }
}

/// The n-th of a row of spans up to so many milliseconds, without a pattern.
fn chance(n: u64, max: u64) -> Duration {
    let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    Duration::from_millis((mixed ^ (mixed >> 32)) % max)
}

#[tokio::test(start_paused = true)]
async fn whatever_the_store_takes_nobody_learns_what_began_before_she_came() {
    let flights = Arc::new(Flights::default());
    let mut running = Vec::new();
    for n in (0..6_000).step_by(3) {
        let flights = Arc::clone(&flights);
        let (pause, takes) = (chance(n, 20_000), chance(n + 1, 1_200));
        let patience = chance(n + 2, 4_000);
        running.push(tokio::spawn(async move {
            sleep(pause).await;
            let came = Instant::now();
            // Some go away before they know.
            let learned = timeout(patience, flights.learn(takes)).await;
            assert!(learned.is_err() || learned.is_ok_and(|began| began >= came));
        }));
    }
    for call in running {
        call.await.unwrap();
    }
    assert_eq!(flights.len(), 0, "what has ended is remembered");
}
