//! A collector: how much an origin can still take, 0 to 100.
//!
//! An origin that reports how busy it is, in percent, is believed. Of another the
//! answers say it: those that take longer than `target_ms` lower the metric, those
//! that failed lower it by their share. The metric is half what was seen now and
//! half what it was before, so that one bad window does not empty an origin.
//!
//! ```yaml
//! plugins:
//!   busy: { kind: collector, module: collector.wasm, params: { source: "header:x-busy", target_ms: 50 } }
//! ```
#![no_std]

use gw1::{Cluster, Code, Params, Plugin, Result, Sample};

const ORIGINS: usize = 1024;

struct Collector {
    target_ms: i64,
    before: [Option<u8>; ORIGINS], // the last metric of each position
}

impl Plugin for Collector {
    fn configure(&mut self, params: Params) -> core::result::Result<(), &'static str> {
        match params.get("target_ms").map(|v| v.int()) {
            None => Ok(()),
            Some(Some(ms)) if (1..=60000).contains(&ms) => {
                self.target_ms = ms;
                Ok(())
            }
            _ => Err("target_ms must be a whole number from 1 to 60000"),
        }
    }

    /// The table may have changed its positions.
    fn on_cluster(&mut self, cluster: Cluster) -> Result {
        self.before.fill(None);
        if cluster.len() > ORIGINS {
            return Err(Code::LIMIT);
        }
        Ok(())
    }

    fn collect(&mut self, sample: Sample) -> Result<Option<u32>> {
        let mut seen = match sample.sources().next() {
            Some((_, busy)) => (100.0 - busy).clamp(0.0, 100.0),
            None if sample.answers() > 0 => self.by_answers(sample),
            None => return Ok(None),
        };
        let before = self.before.get_mut(sample.position()).ok_or(Code::LIMIT)?;
        if let Some(last) = *before {
            seen = (seen + f64::from(last)) / 2.0;
        }
        let metric = (seen + 0.5) as u8;
        *before = Some(metric);
        Ok(Some(metric.into()))
    }
}

impl Collector {
    /// What the answers of the window say.
    fn by_answers(&self, sample: Sample) -> f64 {
        let slow = sample.p95() as f64 / (self.target_ms as f64 * 1e6);
        let good = 100.0 - 100.0 * sample.failed() as f64 / sample.answers() as f64;
        good.clamp(0.0, 100.0) / slow.max(1.0)
    }
}

gw1::plugin! {
    Collector = Collector { target_ms: 50, before: [None; ORIGINS] };
    configure, on_cluster, collect
}
gw1::trap_on_panic!();
