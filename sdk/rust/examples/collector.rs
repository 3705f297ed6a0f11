//! A plugin of kind collector that makes a metric from what the origins say of
//! themselves.
//!
//! An origin tells in the header X-Busy-Time of its answers for how many
//! milliseconds it was at work since the last time somebody asked. What is left of
//! the window, in percent, is its metric; half of the one before is kept, so that
//! a short rush does not move all the load. An origin that tells nothing keeps the
//! metric it has.
//!
//! ```yaml
//! plugins:
//!   busy: { kind: collector, module: collector.wasm, params: { source: "header:X-Busy-Time" } }
//! ```
#![no_std]

use gw1::{Cluster, Plugin, Result, Sample, METRIC_IDLE};

/// How many origins have a metric that is smoothed; others have the bare one.
const KEPT: usize = 256;

/// The last metric of each origin, by its position.
struct Collector {
    idle: [u8; KEPT],
    count: usize,
}

impl Plugin for Collector {
    /// Forgets what it knew, for the positions are new.
    fn on_cluster(&mut self, cluster: Cluster) -> Result {
        self.idle = [0; KEPT];
        self.count = cluster.len();
        Ok(())
    }

    fn collect(&mut self, sample: Sample) -> Result<Option<u32>> {
        let busy = match sample.source("header:x-busy-time") {
            Some(ms) if ms >= 0.0 && sample.window_ms() > 0 => ms,
            _ => return Ok(None),
        };
        let percent = 100.0 * busy / f64::from(sample.window_ms());
        let mut metric = METRIC_IDLE as u32 - percent.min(100.0) as u32;
        let last = match self.idle.get_mut(sample.position()) {
            Some(last) if sample.position() < self.count => last,
            _ => return Ok(Some(metric)),
        };
        if !sample.first() {
            metric = (metric + u32::from(*last)) / 2;
        }
        *last = metric as u8;
        Ok(Some(metric))
    }
}

// configure has nothing to read: source is the gateway's to follow.
gw1::plugin! { Collector = Collector { idle: [0; KEPT], count: 0 }; configure, on_cluster, collect }
gw1::trap_on_panic!();
