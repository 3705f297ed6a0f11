//! A filter: every shop has a host of its own under one domain.
//!
//! `blue.shops.example` is the shop "blue": the origins learn it from X-Tenant, the
//! access record from a tag. Another host is answered here. X-Debug is ours to
//! send, not the client's; what the origins run on is nobody's business.
//!
//! ```yaml
//! plugins:
//!   shops:
//!     kind: filter
//!     module: filter.wasm
//!     params: { domain: shops.example }
//!     needs: [host]
//!     on_error: reject
//! ```
#![no_std]

use gw1::{Fixed, Ops, Params, Plugin, Result, View};

struct Filter {
    domain: Fixed<253>,
}

impl Plugin for Filter {
    fn configure(&mut self, params: Params) -> core::result::Result<(), &'static str> {
        match params.get("domain").and_then(|v| v.text()) {
            Some(domain) if !domain.is_empty() => {
                self.domain = domain;
                Ok(())
            }
            _ => Err("domain must be a host name"),
        }
    }

    fn on_request(&mut self, view: View, ops: &mut Ops) -> Result {
        match self.shop_of(view.host().unwrap_or_default()) {
            Some(shop) => {
                ops.set_header("X-Tenant", shop);
                ops.delete_header("X-Debug");
                ops.tag("tenant", shop);
            }
            None => {
                ops.respond(404, b"no such shop\n");
                ops.set_header("Content-Type", b"text/plain");
            }
        }
        Ok(())
    }

    fn on_response(&mut self, _: View, ops: &mut Ops) -> Result {
        ops.delete_header("X-Powered-By");
        Ok(())
    }
}

impl Filter {
    /// What stands before the domain, if it is one label.
    fn shop_of<'a>(&self, host: &'a [u8]) -> Option<&'a [u8]> {
        let shop = host.strip_suffix(&*self.domain)?.strip_suffix(b".")?;
        if shop.is_empty() || shop.contains(&b'.') {
            return None;
        }
        Some(shop)
    }
}

gw1::plugin! { Filter = Filter { domain: Fixed::new() }; configure, on_request, on_response }
gw1::trap_on_panic!();
