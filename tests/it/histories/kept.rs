//! What was acknowledged is still there when somebody looks.

use onced_proto::v1::State;
use onced_tests::harness::Calls;

use super::{
    call::{Asked, Call, Said, Told},
    load::Load,
};

/// Every claim and every outcome that was acknowledged is on the record, byte for byte.
pub(crate) async fn all_that_was_acknowledged(calls: &Calls, load: &Load) {
    for key in load.keys() {
        let before = load.seen(key);
        let told = load.send(calls, key, Asked::Get).await.expect("an answer");
        let Told::Seen { state, attempt, said } = told else {
            assert!(before.iter().all(|call| token(call).is_none()), "{told:?}: {before:#?}");
            continue;
        };
        let attempts = before.iter().filter_map(token).map(|(_, attempt)| attempt).max();
        assert!(attempts.is_none_or(|granted| granted <= attempt), "{attempt}: {before:#?}");
        if let Some(acknowledged) = before.iter().find_map(success) {
            assert_eq!((state, said.as_ref()), (State::Succeeded, Some(acknowledged)));
        }
        keeps_tokens(&before);
    }
}

/// One attempt never has two tokens, and tokens rise with attempts.
fn keeps_tokens(calls: &[Call]) {
    let mut granted: Vec<_> = calls.iter().filter_map(token).collect();
    granted.sort_unstable();
    granted.dedup();
    let rises = granted.windows(2).all(|pair| pair[0].1 < pair[1].1);
    assert!(rises, "tokens and attempts: {granted:?}");
}

fn token(call: &Call) -> Option<(i64, usize)> {
    match call.told {
        Some(Told::Granted { token, attempt, .. }) => Some((token, attempt)),
        _ => None,
    }
}

fn success(call: &Call) -> Option<&Said> {
    match (&call.asked, &call.told) {
        (Asked::Complete(_, said @ Said::Succeeded(_)), Some(Told::Taken)) => Some(said),
        _ => None,
    }
}
