//! A plugin for tests of the crate: it reads every field there is and says what
//! it read, and calls every host function.
#![no_std]

use gw1::host::{self, Counter, Gauge, HttpCall};
use gw1::*;

struct Everything {
    members: usize,
}

/// A number in decimal.
fn decimal(mut n: u64) -> Fixed<20> {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            return Fixed::copy(&digits[at..]).unwrap_or_default();
        }
    }
}

macro_rules! numbers {
    ($ops:ident, $of:expr, $($name:ident),+) => { $($ops.tag(stringify!($name), &decimal($of.$name() as u64));)+ };
}

macro_rules! strings {
    ($ops:ident, $of:expr, $($name:ident),+) => { $(if let Some(s) = $of.$name() { $ops.tag(stringify!($name), s); })+ };
}

impl Plugin for Everything {
    fn configure(&mut self, params: Params) -> core::result::Result<(), &'static str> {
        match params.get("refuse") {
            Some(_) => Err("refused, as it was asked for"),
            None => Ok(()),
        }
    }

    /// Writes what it read to the log, for a table has no operations.
    fn on_cluster(&mut self, cluster: Cluster) -> Result {
        self.members = cluster.len();
        let mut area = [0; 2048];
        let mut ops = Ops::new(&mut area);
        numbers!(ops, cluster, generation, len);
        strings!(ops, cluster, name, cell);
        for m in cluster.iter() {
            strings!(ops, m, name, address, host, zone, cell, edition, cluster);
            numbers!(ops, m, weight, host_weight, capacity, on_this_host);
            ops.tag("rack", m.label("rack").unwrap_or(b"none"));
        }
        log_ops(&ops)
    }

    fn route_names(&mut self, view: View, list: &mut NameList) -> Result {
        for i in 0..view.args() {
            list.add(view.arg(i).unwrap_or_default());
        }
        Ok(())
    }

    fn matches(&mut self, view: View) -> Result<Answer> {
        let mut b = [0; 1];
        match view.arg(0) {
            Some(b"random") => host::random(&mut b).map(|()| (b[0] < 128).into()),
            Some(b"now") => Ok((host::now_ns() == view.now()).into()),
            _ => Err(Code::DENIED),
        }
    }

    fn collect(&mut self, s: Sample) -> Result<Option<u32>> {
        let mut area = [0; 1024];
        let mut ops = Ops::new(&mut area);
        numbers!(
            ops,
            s,
            flags,
            first,
            now,
            position,
            window_ms,
            answers,
            failed,
            timeouts,
            failed_connects,
            p50,
            p95,
            p99
        );
        numbers!(ops, s, in_flight, waiting, generation, metric, capacity, health, state);
        strings!(ops, s, name, address);
        for (name, value) in s.sources() {
            ops.tag("source", name);
            ops.tag("value", &decimal(value as u64));
        }
        log_ops(&ops)?;
        Ok(s.source("header:y").map(|v| v as u32))
    }

    fn enabled(&mut self) -> bool {
        true
    }

    fn on_request(&mut self, v: View, ops: &mut Ops) -> Result {
        numbers!(ops, v, flags, request_id, now, method_id, version, attempts, generation, granted, port, status);
        numbers!(ops, v, body_length, upstream_ns);
        strings!(
            ops,
            v,
            method,
            scheme,
            host,
            path,
            query,
            client,
            mapping,
            session,
            target,
            site,
            cluster,
            application,
            origin
        );
        strings!(ops, v, body);
        for (name, value) in v.headers().iter().chain(v.cookies().iter()) {
            ops.tag("name", name);
            ops.tag("value", value);
        }
        for i in 0..v.args() {
            ops.tag("arg", v.arg(i).unwrap_or(b"none"));
        }
        for o in (0..v.origins().len()).filter_map(|i| v.origins().get(i)) {
            numbers!(ops, o, health, state, in_flight, capacity, metric, flags, usable);
        }
        Ok(())
    }

    fn on_response(&mut self, v: View, ops: &mut Ops) -> Result {
        ops.set_header("A", v.header("x-a").unwrap_or_default());
        ops.add_header("B", v.cookie("theme").unwrap_or_default());
        ops.delete_header("C");
        ops.set_path(b"/p");
        ops.set_query(b"q");
        ops.set_host(b"h");
        ops.set_body(b"body");
        ops.respond(404, b"no");
        ops.tag("t", b"u");
        Ok(())
    }

    fn tick(&mut self, tick: Tick) -> Result {
        Counter::new("ticks")?.add(tick.number() as u32)?;
        Gauge::new("members")?.set(self.members as f64)?;
        let mut buf = [0; 64];
        host::kv_set(b"node", host::property("node.name", &mut buf)?, 1000, KV_ABSENT)?;
        if host::kv_set(b"node", b"other", 0, KV_ABSENT) != Err(Code::CONFLICT) {
            return Err(Code::FAILED);
        }
        let (_, version) = host::kv_get(b"node", &mut buf)?;
        host::kv_set(b"tick", &decimal(tick.now()), 0, KV_ALWAYS)?;
        host::kv_set(b"node", b"seen", 0, version as i64)?;
        host::kv_delete(b"gone")?;
        if host::kv_get(b"tick", &mut buf[..3]) != Err(Code::BUFFER_SMALL) {
            return Err(Code::FAILED);
        }
        let mut buf = [0; 256];
        let mut call = HttpCall::new(&mut buf, b"cluster://shop/tick");
        call.method("POST").header("Accept", b"*/*").body(&decimal(tick.period_ms().into()));
        call.send(1000).map(|_| ())
    }

    fn on_http_response(&mut self, r: HttpResponse) -> Result {
        let mut area = [0; 1024];
        let mut ops = Ops::new(&mut area);
        numbers!(ops, r, token, flags, now, status);
        strings!(ops, r, body);
        for (name, value) in r.headers().iter() {
            ops.tag("name", name);
            ops.tag("value", value);
        }
        log_ops(&ops)?;
        r.error().map_or(Ok(()), Err)
    }
}

/// Logs keys and values of operations, with the numbers before them left out.
fn log_ops(ops: &Ops) -> Result {
    let mut line = Fixed::<1024>::new();
    let mut rest = ops.finish()?;
    while let [_, _, k0, k1, v0, v1, _, _, text @ ..] = rest {
        let (key, value) = (u16::from_le_bytes([*k0, *k1]) as usize, u16::from_le_bytes([*v0, *v1]) as usize);
        for (i, &c) in text.iter().take(key + value).enumerate() {
            if i == key {
                line.push(b'=');
            }
            line.push(c);
        }
        line.push(b' ');
        rest = text.get((key + value + 3) & !3..).unwrap_or_default();
    }
    host::log(LOG_INFO, &line);
    Ok(())
}

gw1::plugin! {
    Everything = Everything { members: 0 };
    configure, on_cluster, route_names, matches, collect, enabled, on_request, on_response, tick, on_http_response
}
gw1::trap_on_panic!();
