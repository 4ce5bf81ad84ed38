//! Sends every request about one key to the same coordinator while that one is up.
//!
//! Two coordinators that write one key at the same time make each other fail. The driver knows
//! which statements are conditional only where the node says so, and never for a batch; here every
//! one is routed as if it were.

use std::{sync::Arc, time::Duration};

use scylla::{
    cluster::{ClusterState, NodeRef},
    errors::RequestAttemptError,
    policies::load_balancing::{FallbackPlan, LoadBalancingPolicy, RoutingInfo},
};
use uuid::Uuid;

/// The inner policy, told that every request is a conditional one.
#[derive(Debug)]
pub(super) struct OneCoordinator(Arc<dyn LoadBalancingPolicy>);

impl OneCoordinator {
    pub(super) fn over(inner: Arc<dyn LoadBalancingPolicy>) -> Self {
        Self(inner)
    }
}

fn conditional<'a>(request: &RoutingInfo<'a>) -> RoutingInfo<'a> {
    let mut request = request.clone();
    request.is_confirmed_lwt = true;
    request
}

/// The node that the inner policy chose, as borrowed from the cluster's state alone.
fn node(cluster: &ClusterState, id: Uuid) -> Option<NodeRef<'_>> {
    cluster.get_nodes_info().iter().find(|node| node.host_id == id)
}

impl LoadBalancingPolicy for OneCoordinator {
    fn pick<'a>(
        &'a self,
        request: &'a RoutingInfo<'_>,
        cluster: &'a ClusterState,
    ) -> Option<(NodeRef<'a>, Option<u32>)> {
        let request = conditional(request);
        let (id, shard) =
            self.0.pick(&request, cluster).map(|(node, shard)| (node.host_id, shard))?;
        Some((node(cluster, id)?, shard))
    }

    fn fallback<'a>(
        &'a self,
        request: &'a RoutingInfo<'_>,
        cluster: &'a ClusterState,
    ) -> FallbackPlan<'a> {
        let request = conditional(request);
        let plan: Vec<_> =
            self.0.fallback(&request, cluster).map(|(node, shard)| (node.host_id, shard)).collect();
        let bound = move |(id, shard)| Some((node(cluster, id)?, shard));
        Box::new(plan.into_iter().filter_map(bound))
    }

    fn on_request_success(&self, request: &RoutingInfo<'_>, took: Duration, node: NodeRef<'_>) {
        self.0.on_request_success(request, took, node);
    }

    fn on_request_failure(
        &self,
        request: &RoutingInfo<'_>,
        took: Duration,
        node: NodeRef<'_>,
        error: &RequestAttemptError,
    ) {
        self.0.on_request_failure(request, took, node, error);
    }

    fn name(&self) -> String {
        "one coordinator for a key".to_owned()
    }
}
