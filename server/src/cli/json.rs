//! Answers and errors as JSON: the protobuf mapping, as grpcurl prints it; and messages read back
//! from it.
//!
//! Knows no message by name but `google.rpc.Status`: the descriptors tell the rest.

use std::sync::LazyLock;

use anyhow::{Context, anyhow};
use onced_proto::DESCRIPTORS;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::{Serializer, Value, ser::PrettyFormatter};
use tonic::Status;

static WIRE: LazyLock<Option<DescriptorPool>> =
    LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).ok());
static STATUS: LazyLock<Option<DescriptorPool>> =
    LazyLock::new(|| DescriptorPool::decode(tonic_types::pb::FILE_DESCRIPTOR_SET).ok());

/// A message of onced, by its full name, e.g. `onced.v1.ClaimResponse`.
pub(super) fn render(name: &str, message: &impl Message) -> anyhow::Result<String> {
    render_with(&WIRE, name, message)
}

/// A refusal as `google.rpc.Status`, its details decoded. Details of unknown types are left out.
pub(super) fn render_status(status: &Status) -> anyhow::Result<String> {
    let mut decoded = tonic_types::Status::decode(status.details()).unwrap_or_default();
    decoded.code = status.code() as i32;
    status.message().clone_into(&mut decoded.message);
    decoded.details.retain(|detail| is_known(&detail.type_url));
    render_with(&STATUS, "google.rpc.Status", &decoded)
}

/// The same of a refusal in an answer, as a JSON value.
pub(super) fn status_value(status: &tonic_types::Status) -> anyhow::Result<Value> {
    let mut status = status.clone();
    status.details.retain(|detail| is_known(&detail.type_url));
    let dynamic = dynamic(&STATUS, "google.rpc.Status", &status)?;
    Ok(dynamic.serialize_with_options(serde_json::value::Serializer, &SerializeOptions::new())?)
}

/// A message of onced as a JSON value.
pub(super) fn value(name: &str, message: &impl Message) -> anyhow::Result<Value> {
    let dynamic = dynamic(&WIRE, name, message)?;
    Ok(dynamic.serialize_with_options(serde_json::value::Serializer, &SerializeOptions::new())?)
}

/// A message of onced, by its full name, from its JSON. Names that are not known are refused.
pub(super) fn read<M: Message + Default>(name: &str, value: Value) -> anyhow::Result<M> {
    let dynamic = DynamicMessage::deserialize(descriptor(&WIRE, name)?, value)?;
    Ok(M::decode(dynamic.encode_to_vec().as_slice())?)
}

fn is_known(type_url: &str) -> bool {
    let name = type_url.rsplit('/').next().unwrap_or_default();
    STATUS.as_ref().is_some_and(|pool| pool.get_message_by_name(name).is_some())
}

fn render_with(
    pool: &LazyLock<Option<DescriptorPool>>,
    name: &str,
    message: &impl Message,
) -> anyhow::Result<String> {
    let dynamic = dynamic(pool, name, message)?;
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, PrettyFormatter::with_indent(b"  "));
    dynamic.serialize_with_options(&mut serializer, &SerializeOptions::new())?;
    Ok(String::from_utf8(text)?)
}

fn dynamic(
    pool: &LazyLock<Option<DescriptorPool>>,
    name: &str,
    message: &impl Message,
) -> anyhow::Result<DynamicMessage> {
    let bytes = message.encode_to_vec();
    Ok(DynamicMessage::decode(descriptor(pool, name)?, bytes.as_slice())?)
}

fn descriptor(
    pool: &LazyLock<Option<DescriptorPool>>,
    name: &str,
) -> anyhow::Result<MessageDescriptor> {
    let pool = pool.as_ref().ok_or_else(|| anyhow!("the descriptors do not decode"))?;
    pool.get_message_by_name(name).with_context(|| format!("no type {name}"))
}

#[cfg(test)]
mod tests;
