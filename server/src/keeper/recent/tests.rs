use bytes::Bytes;
use uuid::Uuid;

use super::*;
use crate::{
    clock::Timestamp,
    keeper::tests::a_grant,
    record::{Content, Settlement},
};

const DETAIL: usize = 65_536;

fn failed_with_detail() -> Stored {
    let mut stored = a_grant();
    let body = Bytes::from(vec![b'x'; DETAIL]);
    let failure = Failure {
        kind: "declined".to_owned(),
        message: String::new(),
        detail: Some(Content { body, text: true, content_type: String::new() }),
        provider_reference: String::new(),
    };
    stored.record.state = State::Settled(Settlement {
        outcome: Outcome::Failed(failure),
        attempt: 1,
        complete_time: Timestamp(0),
        source: Source::Holder,
        late: false,
    });
    stored
}

#[test]
fn the_details_of_failures_count_against_the_room() {
    let recent = Recent::new();
    let stored = failed_with_detail();
    let identity = |n: u128| {
        let mut identity = [0; 32];
        identity[..16].copy_from_slice(&Uuid::new_v4().into_bytes());
        identity[16..].copy_from_slice(&n.to_be_bytes());
        Identity(identity)
    };
    for n in 0..5_000 {
        recent.wrote(&identity(n), &stored);
    }
    let kept = recent.records.len();
    assert!(kept > 0 && kept * DETAIL <= usize::try_from(ROOM).unwrap(), "{kept} are kept");
}
