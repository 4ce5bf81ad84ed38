//! One gRPC call of a service whose stubs are not generated here.

use anyhow::Result;
use prost::Message;
use tonic::{Code, Request, Status, client::Grpc, transport::Channel};
use tonic_prost::ProstCodec;

/// Calls a method by its path.
pub(super) async fn unary<Q, A>(channel: &Channel, path: &'static str, question: Q) -> Result<A>
where
    Q: Message + Send + Sync + 'static,
    A: Message + Default + Send + Sync + 'static,
{
    Ok(try_unary(channel, path, question).await?)
}

/// The same, of a method whose refusals are answers.
pub(super) async fn try_unary<Q, A>(
    channel: &Channel,
    path: &'static str,
    question: Q,
) -> Result<A, Status>
where
    Q: Message + Send + Sync + 'static,
    A: Message + Default + Send + Sync + 'static,
{
    let mut client = Grpc::new(channel.clone());
    let is_ready = client.ready().await;
    is_ready.map_err(|cause| Status::new(Code::Unavailable, cause.to_string()))?;
    let path = http::uri::PathAndQuery::from_static(path);
    let answer = client.unary(Request::new(question), path, ProstCodec::default()).await?;
    Ok(answer.into_inner())
}
