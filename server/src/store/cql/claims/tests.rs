//! When a conditional write is not sent any more.

use std::time::Duration;

use tokio::time::{Instant, advance};

use super::{HINT_HOLDS, check_hint};
use crate::store::Error;

#[tokio::test(start_paused = true)]
async fn a_write_that_comes_long_after_its_hint_is_not_sent() {
    let hinted = Instant::now();
    advance(HINT_HOLDS).await;
    assert_eq!(check_hint(hinted), Ok(()));
    advance(Duration::from_secs(1)).await;
    assert!(matches!(check_hint(hinted), Err(Error::Unavailable(_))));
}
