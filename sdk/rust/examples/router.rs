//! A plugin of kind router that splits calls by an argument.
//!
//! The method that is called is the last segment of the path, its argument the
//! first `arg` in the query. Calls of `foo` whose argument sorts before `n` go to
//! server1, all others to server2, and to server3 when that one cannot take them.
//! Whatever is not a call of `foo` is left to the cluster's balancer; `foo`
//! without an argument that can be read is an error, for which `on_error` decides.
//!
//! ```yaml
//! plugins:
//!   by-argument: { kind: router, module: router.wasm, needs: [path, query] }
//! ```
#![no_std]

use gw1::{decoded, query_value, Cluster, Code, List, Plugin, Result, View};

/// Positions in the cluster table, `None` for an origin that is not in the
/// cluster.
struct Router {
    server1: Option<u16>,
    server2: Option<u16>,
    server3: Option<u16>,
}

impl Plugin for Router {
    fn on_cluster(&mut self, cluster: Cluster) -> Result {
        self.server1 = cluster.find("server1");
        self.server2 = cluster.find("server2");
        self.server3 = cluster.find("server3");
        Ok(())
    }

    fn route(&mut self, view: View, list: &mut List) -> Result {
        let path = view.path().unwrap_or_default();
        if path.rsplit(|&c| c == b'/').next() != Some(b"foo") {
            return Ok(());
        }
        let argument = query_value(view.query().unwrap_or_default(), "arg").unwrap_or_default();
        let mut bytes = decoded(argument);
        let first = bytes.next().ok_or(Code::BAD_ARGUMENT)??;
        for rest in bytes {
            rest?; // all of it must be readable
        }
        list.add(if first < b'n' { self.server1 } else { self.server2 });
        list.add(self.server3);
        Ok(())
    }
}

gw1::plugin! { Router = Router { server1: None, server2: None, server3: None }; on_cluster, route }
gw1::trap_on_panic!();
