//! A plugin of kind filter that serves many tenants from one site.
//!
//! The tenant is what the host has before the suffix of params. The origins are
//! told of it in the field X-Tenant, the access record in a tag, and what the
//! client says in X-Debug is taken away. Tenants that are closed are answered at
//! once. Answers lose their Server field and tell the origin they came from.
//!
//! ```yaml
//! plugins:
//!   tenants:
//!     kind: filter
//!     module: filter.wasm
//!     params: { suffix: .shop.example, closed: [red] }
//!     needs: [host, site]
//!     on_error: reject
//! ```
#![no_std]

use gw1::{Fixed, Ops, Params, Plugin, Result, Value, View};

struct Filter {
    suffix: Fixed<255>,
    closed: Fixed<4096>, // a list, as JSON
}

impl Plugin for Filter {
    fn configure(&mut self, params: Params) -> core::result::Result<(), &'static str> {
        self.suffix = match params.get("suffix").map(|v| v.text()) {
            None => return Err("suffix is missing: say which hosts are tenants', such as .shop.example"),
            Some(Some(suffix)) if !suffix.is_empty() => suffix,
            _ => return Err("suffix must be a text of 1 to 255 bytes"),
        };
        let closed = params.get("closed").map_or(b"[]".as_slice(), |v| v.json());
        self.closed = Fixed::copy(closed).ok_or("closed has more than 4096 bytes")?;
        Ok(())
    }

    fn on_request(&mut self, view: View, ops: &mut Ops) -> Result {
        let tenant = match view.host().unwrap_or_default().strip_suffix(&*self.suffix) {
            Some(tenant) if !tenant.is_empty() => tenant,
            _ => return Ok(()),
        };
        if Value::new(&self.closed).items().any(|closed| closed.is_bytes(tenant)) {
            ops.respond(403, b"this shop is closed\n");
            ops.set_header("Content-Type", b"text/plain");
            return Ok(());
        }
        ops.set_header("X-Tenant", tenant);
        ops.delete_header("X-Debug");
        ops.tag("tenant", tenant);
        Ok(())
    }

    fn on_response(&mut self, view: View, ops: &mut Ops) -> Result {
        ops.delete_header("Server");
        match view.origin() {
            Some(origin) if !origin.is_empty() => ops.set_header("X-Origin", origin),
            _ => {}
        }
        Ok(())
    }
}

gw1::plugin! { Filter = Filter { suffix: Fixed::new(), closed: Fixed::new() }; configure, on_request, on_response }
gw1::trap_on_panic!();
