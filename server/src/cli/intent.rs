//! Which intent a command is about.

use clap::Args;
use onced_proto::v1::IntentId;

/// The three names.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Intent")]
pub(super) struct IntentArgs {
    /// Who owns the key [env: ONCED_NAMESPACE]
    #[arg(long, value_name = "NAME", env = "ONCED_NAMESPACE", hide_env = true)]
    pub(super) namespace: String,
    /// The kind of effect [env: ONCED_OPERATION]
    #[arg(long, value_name = "NAME", env = "ONCED_OPERATION", hide_env = true)]
    pub(super) operation: String,
    /// The initiator's name for it, stable over retries
    #[arg(long)]
    pub(super) key: String,
}

impl IntentArgs {
    /// The message.
    pub(super) fn id(&self) -> IntentId {
        IntentId {
            namespace: self.namespace.clone(),
            operation: self.operation.clone(),
            key: self.key.clone(),
        }
    }
}
