//! The wire as it is promised: services, methods and names, against lists that are kept by hand.
//!
//! `make check` also compares every message with the committed image of the last release.

use onced_proto::DESCRIPTORS;
use prost::Message;
use prost_types::{FileDescriptorSet, MethodDescriptorProto};

const STATUS: &str = "google/rpc/status.proto";
const METHODS: &str = include_str!("wire/methods.txt");

#[test]
fn services_and_methods_are_the_listed_ones() {
    let mut found = Vec::new();
    for file in descriptors().file {
        for service in &file.service {
            let service_name = format!("{}.{}", file.package(), service.name());
            found.extend(service.method.iter().map(|method| line(&service_name, method)));
        }
    }
    let listed: Vec<&str> = METHODS.lines().collect();
    assert_eq!(found, listed, "found:\n{}", found.join("\n"));
}

fn line(service: &str, method: &MethodDescriptorProto) -> String {
    let stream = |is_one| if is_one { "stream " } else { "" };
    format!(
        "{service}/{}({}{}) -> {}{}",
        method.name(),
        stream(method.client_streaming()),
        method.input_type().trim_start_matches('.'),
        stream(method.server_streaming()),
        method.output_type().trim_start_matches('.'),
    )
}

#[test]
fn reflection_keeps_the_names_that_json_uses() {
    let mut fields = 0;
    for file in descriptors().file {
        for message in &file.message_type {
            for field in &message.field {
                let place = format!("{}.{}", message.name(), field.name());
                assert_eq!(field.json_name(), camel_case(field.name()), "{place}");
                fields += 1;
            }
        }
    }
    assert!(fields > 200, "only {fields} fields were found");
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}

#[test]
fn no_package_of_ours_is_missing_from_reflection() {
    let mut packages: Vec<String> =
        descriptors().file.iter().map(|file| file.package().to_owned()).collect();
    packages.sort();
    packages.dedup();
    let ours = ["onced.admin.v1", "onced.provider.v1", "onced.store.v1", "onced.v1"];
    for package in ours {
        assert!(packages.iter().any(|found| found == package), "{package} in {packages:?}");
    }
}

#[test]
fn the_details_of_a_refusal_can_be_shown_by_reflection() {
    let files = descriptors().file;
    let details = files.iter().find(|file| file.package() == "google.rpc" && file.name() != STATUS);
    let messages = details.expect("google/rpc/error_details.proto").message_type.iter();
    let names: Vec<&str> = messages.map(prost_types::DescriptorProto::name).collect();
    for name in ["BadRequest", "ErrorInfo", "RetryInfo"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
}

fn descriptors() -> FileDescriptorSet {
    FileDescriptorSet::decode(DESCRIPTORS).expect("a descriptor set")
}
