//! Every value can be read back from what is told of it.

use super::*;

#[track_caller]
fn check<T: Value + PartialEq + fmt::Debug>(text: &str, told: &str) {
    let value = T::read(text).unwrap();
    assert_eq!(value.told(), told);
    assert_eq!(T::read(told.trim_matches('"')).unwrap(), value);
}

#[track_caller]
fn refused<T: Value + fmt::Debug>(text: &str) {
    assert!(T::read(text).is_err(), "{text:?} is taken");
}

#[test]
fn sizes_are_told_in_their_largest_whole_unit() {
    check::<Size>("64MiB", "\"64MiB\"");
    check::<Size>("2048 KiB", "\"2MiB\"");
    check::<Size>("1025B", "\"1025B\"");
    check::<Size>("0B", "\"0B\"");
    for wrong in ["64", "64MB", "-1B", "MiB", "99999999999GiB", ""] {
        refused::<Size>(wrong);
    }
}

#[test]
fn addresses_have_a_port() {
    check::<SocketAddr>("[::1]:7450", "\"[::1]:7450\"");
    refused::<SocketAddr>("127.0.0.1");
    refused::<SocketAddr>("localhost:7450");
}

#[test]
fn endpoints_are_urls_with_a_host() {
    check::<Endpoint>("http://collector:4317", "\"http://collector:4317\"");
    for wrong in ["collector:4317", "ftp://collector", "/v1/traces", "http://"] {
        refused::<Endpoint>(wrong);
    }
}

#[test]
fn log_filters_are_judged_before_they_are_used() {
    check::<LogLevel>("info,onced=debug", "\"info,onced=debug\"");
    refused::<LogLevel>("onced=louder");
}

#[test]
fn an_absent_value_is_told_as_nothing() {
    check::<Option<PathBuf>>("", "");
    check::<Option<PathBuf>>("a/b", "\"a/b\"");
    refused::<PathBuf>("");
}
