use super::*;

fn load(claims_in_flight_max: usize, waiters_max: usize) -> Load {
    Load::new(&Bounds { claims_in_flight_max, waiters_max, ..Bounds::default() })
}

#[test]
fn a_place_is_free_again_when_its_claim_has_ended() {
    let load = load(2, 1);
    let both = load.admit(2).unwrap();
    assert_eq!(load.admit(1).unwrap_err(), Denial::Overloaded);
    drop(both);
    let _one = load.admit(1).unwrap();
    assert_eq!(load.admit(2).unwrap_err(), Denial::Overloaded);
}

#[test]
fn a_batch_larger_than_all_the_room_takes_all_of_it() {
    let load = load(2, 1);
    let _all = load.admit(1_000).unwrap();
    assert_eq!(load.admit(1).unwrap_err(), Denial::Overloaded);
}

#[test]
fn waiters_have_places_of_their_own() {
    let load = load(1, 1);
    let _claim = load.admit(1).unwrap();
    let _waiter = load.admit_waiter().unwrap();
    assert!(load.admit_waiter().is_none());
}

#[tokio::test]
async fn idle_is_when_the_last_claim_has_ended() {
    let load = load(4, 1);
    let claim = load.admit(1).unwrap();
    tokio::select! {
        biased;
        () = load.idle() => panic!("a claim is in flight"),
        () = std::future::ready(()) => {}
    }
    drop(claim);
    load.idle().await;
}
