package main

import (
	"fmt"
	"strings"

	"weirkeep/gateway"
)

// advice is what helps with a reason of the access log: what usually leads to
// it, and the keys that have to do with it.
type advice struct {
	causes string
	keys   string // empty: none has
}

// advices are by the code of the reason.
var advices = map[string]advice{
	"served":                   {"Nothing is wrong: a status of 4xx or 5xx beside it is the origin's own.", ""},
	"bad_request":              {"A client that is broken or hostile, or one that speaks TLS or a PROXY header to a listener that expects plain HTTP.", "listeners[].tls, listeners[].proxy_protocol, limits.underscore_names"},
	"bad_target":               {"Scanners that try ../ in its many spellings; clients that do not escape blanks and other characters.", ""},
	"bad_host":                 {"Scanners that ask without Host, with two of them, or with something else in it.", ""},
	"bad_framing":              {"Content-Length beside Transfer-Encoding, or two of them: somebody tries request smuggling, or a client is broken.", ""},
	"bad_body":                 {"The client broke off in the middle of an upload, or its chunked coding is wrong.", ""},
	"bad_coding":               {"A client that compresses with Transfer-Encoding, which only few servers do; Content-Encoding passes.", ""},
	"bad_version":              {"A client that speaks HTTP/2 without asking first. Over TLS it is told that HTTP/1.1 is spoken here.", ""},
	"bad_method":               {"Bytes that are no HTTP; a scanner.", ""},
	"method_not_allowed":       {"A client that takes the gateway for a forward proxy (CONNECT), or a scanner (TRACE).", ""},
	"bad_expectation":          {"A client that sends Expect with something other than 100-continue.", ""},
	"head_too_large":           {"Cookies that have grown, or a token in a header; scanners.", "limits.header_bytes, limits.header_count, limits.header_name_bytes"},
	"head_timeout":             {"A client that opens a connection and says nothing, or speaks slowly to hold it; a network that loses packets.", "timeouts.head"},
	"loop":                     {"An origin is this gateway itself, or sends requests back to it; or two gateways of a chain have one name.", "clusters.*.origins, node.name"},
	"body_timeout":             {"A client that has lost its network during an upload, or sends slowly on purpose.", "timeouts.body_idle, timeouts.min_body_rate"},
	"body_too_large":           {"An upload that is larger than is allowed.", "limits.body_bytes"},
	"redirected_to_https":      {"Nothing is wrong: the listener answers every request with a redirect.", "listeners[].redirect_to_https"},
	"no_site":                  {"A host or port that no site lists; scanners that ask by address; a Host that a proxy in between has changed.", "sites.*.hosts, default_site"},
	"no_mapping":               {"The site is there, and no mapping of it has a prefix that fits; or the path lies outside the site's.", "mappings, sites.*.path_prefix"},
	"site_not_public":          {"A client, or a scanner, asks for a site of kind esi-provider: only fragments of pages are fetched from it. Or a page links to what it should include.", "sites.*.kind"},
	"rejected_by_rule":         {"A rule refuses such requests. The log names it beside the reason; weirkeep explain says what of the request it looked at.", "rules[].reject, sites.*.rules"},
	"redirected_by_rule":       {"Nothing is wrong: a rule sends such requests elsewhere. The log names it.", "rules[].redirect, sites.*.rules"},
	"no_permitted_destination": {"The rule that decides permits only origins that the mapping, or the application, does not serve this from. weirkeep explain shows the best set; check warns of permits that can never work.", "rules[].permit, mappings, applications"},
	"not_stored":               {"The client sends Cache-Control: only-if-cached, and nothing is stored that may be used.", ""},
	"queue_full":               {"More requests than the origins can take at once, and as many again waiting: a surge, or origins that have become slow. The client is told when to come again (Retry-After).", "clusters.*.origins[].capacity, clusters.*.queue, sites.*.pages.busy"},
	"queue_timeout":            {"The origins were busy for as long as a request may wait: they are slower than they should be, or their capacity is set too low.", "clusters.*.queue.timeout, clusters.*.origins[].capacity"},
	"no_origin":                {"Every origin of the cluster is ejected, down, draining, in maintenance or disabled; the cause beside it in the log says which is what, weirkeep origin ls -v says why; what an operator has set weirkeep origin enable takes back.", "clusters.*.failover, clusters.*.health, clusters.*.origins[].state, mappings[].failover"},
	"session_origin_out":       {"The origin that knows the client's session is out, and sessions may not go elsewhere.", "sessions.*.on_primary_down"},
	"redirected_to_origin":     {"Nothing is wrong: the origin that was chosen is of kind redirect. The log names it. Where that is too often, it is in one cluster with a balancer that goes by load, and has none.", "clusters.*.origins[].kind, clusters.*.balancer"},
	"router_exhausted":         {"The origins that the router plugin lists are down, full, or not of the request's group; the cause in the log names them.", "clusters.*.on_exhausted, plugins.*.on_full"},
	"plugin_error":             {"A plugin faulted, or answered with an error; weirkeep plugin ls shows its last faults.", "plugins.*.on_error"},
	"answered_by_filter":       {"A filter plugin of the site answers such requests itself.", "sites.*.filters"},
	"connect_refused":          {"The origin does not run, listens at another port or address, or a firewall refuses.", "clusters.*.origins"},
	"name_not_found":           {"The host of the origin's address is misspelt, or the resolver does not answer.", "clusters.*.origins"},
	"tls_failed":               {"The origin's certificate has expired, has another name, or is signed by an authority that is not known here; or the origin speaks plain HTTP at that port.", "clusters.*.tls"},
	"connect_failed":           {"The cause beside it in the log says what the system answered.", "clusters.*.origins"},
	"connect_timeout":          {"The origin's machine is down or overloaded, or a firewall drops what is sent to it.", "clusters.*.connect_timeout"},
	"origin_reset":             {"The origin crashed, was restarted, or closes idle connections sooner than the gateway does.", "clusters.*.keep_alive, clusters.*.retry"},
	"origin_timeout":           {"The origin is overloaded, or the request takes longer than is allowed.", "clusters.*.first_byte_timeout, clusters.*.body_idle_timeout, clusters.*.retry.per_try_timeout"},
	"not_validated":            {"No origin can be reached, and what is stored of the URL says must-revalidate, no-cache or s-maxage: it must not be used without asking.", "cache.stale"},
	"bad_answer":               {"The origin does not speak HTTP/1.1 at that port, or breaks its rules; the cause beside it in the log says which.", "clusters.*.origins"},
	"answer_too_large":         {"The head of the answer is over 128 KiB: cookies without end, or debugging in headers.", ""},
	"answer_cut":               {"The origin crashed or was restarted while it answered, or went silent.", "clusters.*.body_idle_timeout"},
	"markup_injected":          {"Somebody tries to have markup of theirs run by sending it in a URL, a header or a body; or a client honestly sends such text to a page with ESI, as an editor of templates would.", "esi.detect_injection"},
	"bad_template":             {"The origin says ESI/1.0 of something that is too long for a template, or says a Content-Encoding that the body is not in; the cause in the log says which.", "esi.max_template, esi.mode"},
	"fragment_failed":          {"An include of the page was answered with an error, too late, or not at all, and the markup does nothing about it (alt, onerror, try); the cause in the log says which failure, weirkeep explain which include.", "esi.on_error, esi.fragment_timeout, esi.unmapped_providers"},
	"page_too_large":           {"Fragments that are larger than usual, or a template that includes something again and again.", "esi.max_page, esi.max_fragment"},
	"client_gone":              {"Somebody pressed stop, or the client's own time-out is shorter than the origin is slow. 499 is not sent: there is nobody.", ""},
	"cut_by_drain":             {"The exchange ran longer than a gateway that stops waits.", "drain.timeout"},
	"local_failure":            {"The limit of open files is too low (ulimit -n, LimitNOFILE), or ports to one origin have run out.", "limits.connections, clusters.*.keep_alive"},
	"panic":                    {"A bug of weirkeep, which did not hurt other exchanges. The log has the stack: please report it.", ""},
}

// metricOf is the metric that counts a reason.
func metricOf(code string) string {
	if code == "served" {
		return "weirkeep_gateway_exchanges_total"
	}
	return fmt.Sprintf("weirkeep_gateway_refusals_total{reason=%q}", code)
}

// findReason is the reason of a name as people may write it.
func findReason(name string) (gateway.ReasonHelp, bool) {
	code := strings.ReplaceAll(strings.ToLower(name), "-", "_")
	for _, r := range gateway.Reasons() {
		if r.Code == code {
			return r, true
		}
	}
	return gateway.ReasonHelp{}, false
}

// explainReason prints what a reason of the access log means and comes from.
func (a *app) explainReason(r gateway.ReasonHelp) error {
	ink, help := a.paint(a.stdout), advices[r.Code]
	status := "the origin's own status"
	if r.Status != 0 {
		status = fmt.Sprintf("status %d", r.Status)
	}
	text := fmt.Sprintf("%s: %s (%s)\n\n%s\n", ink.bold(r.Code), r.Text, status, help.causes)
	if help.keys != "" {
		text += "\nKeys that have to do with it:\n" + indented(help.keys) + "\n"
	}
	text += "\nCounted by:\n" + indented(metricOf(r.Code)) + "\n\nFound by:\n" + indented(r.SetBy) + "\n"
	_, err := fmt.Fprint(a.stdout, text)
	return err
}

// listReasons prints a line for each reason.
func (a *app) listReasons() error {
	for _, r := range gateway.Reasons() {
		status := "-"
		if r.Status != 0 {
			status = fmt.Sprint(r.Status)
		}
		if _, err := fmt.Fprintf(a.stdout, "%-20s %3s  %s\n", r.Code, status, r.Text); err != nil {
			return err
		}
	}
	return nil
}
