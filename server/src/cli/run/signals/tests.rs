use super::*;

#[test]
fn what_is_ignored_is_read_from_what_the_system_tells() {
    let status = "Name:\tonced\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n";
    let ignored = ignored_in(status);
    assert_ne!(ignored & (1 << (Signal::HUP.as_raw() - 1)), 0);
    assert_eq!(ignored & (1 << (Signal::TERM.as_raw() - 1)), 0);
    assert_eq!(ignored_in("nothing of the kind"), 0);
}
