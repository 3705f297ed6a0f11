package main

import (
	"fmt"
	"strings"

	"weirkeep/gateway/balance"
)

// word is one that status, logs and configuration use for origins, queues and
// sessions: what it means, and the keys that have to do with it.
type word struct {
	name, means, keys string
}

// words is every one of them, by what they are about.
var words = []word{
	// What the operator wants of an origin.
	{"serving", "The state of an origin that may be sent everything. It is the default.", "clusters.*.origins[].state"},
	{"draining", "The state of an origin that keeps the sessions that are bound to it and gets no new ones. It is empty when SESSIONS and LOAD of weirkeep origin ls are 0, which weirkeep origin drain --wait waits for: a session ends idle_timeout (30m) after its last request, a tunnel when one side closes it.", "clusters.*.origins[].state, sessions.*.idle_timeout"},
	{"maintenance", "The state of an origin that is sent nothing but what a rule permits that says allow_maintenance. What is under way there ends, and its sessions go elsewhere. A permit does not move a request whose session is bound to another origin, so that a rule for testers usually says override_affinity: true as well, and names the origin: its cluster would not hold them there.", "clusters.*.origins[].state, rules[].permit.allow_maintenance, rules[].override_affinity, sessions.*.on_primary_down"},
	{"disabled", "The state of an origin that is sent nothing at all. What is under way there ends, and its sessions go elsewhere.", "clusters.*.origins[].state, sessions.*.on_primary_down"},

	// What is found out of an origin.
	{"up", "The health of an origin that nothing is known against. Every origin begins so, one that was never asked as well.", "clusters.*.health, clusters.*.failover"},
	{"down", "The health of an origin of which the health check says that it does not work. It takes down_after bad answers in a row, and only the check brings it back, with up_after good ones.", "clusters.*.health"},
	{"ejected", "The health of an origin that requests have failed at: one connect, or five other failures in a row, unless configured. The last one that is up is spared for anything but failed connects. The health check brings it back, where there is none the ping, where there is neither a trial: that is a request, so without requests it stays ejected.", "clusters.*.failover, clusters.*.health"},
	{"ping", "A request of the gateway to an origin that is ejected, every ten seconds unless configured. Any answer but 500, 502, 503 and 504 brings the origin back, the 404 of a path that is mistyped too.", "clusters.*.failover.ping"},
	{"trial", "A request of a client that tries an origin that is out, where neither health nor ping is configured. There is one every ten seconds, or every half second where no other origin could take the request; if it is answered well, the origin is up.", "clusters.*.failover.ping, clusters.*.health"},
	{"failover", "In a cluster: when an origin is ejected, and how it comes back; its requests go to the others. In a mapping: the clusters that are next when no origin of those before is in service.", "clusters.*.failover, mappings[].failover, clusters.*.queue.overflow"},
	{"retry", "A further attempt at another origin, where sending the request twice cannot do harm. A share of all exchanges may have one (budget), beyond a reserve; where the connect failed it costs nothing of that. A request that an origin was too slow to answer is not repeated, unless per_try_timeout is written; answers are passed on whatever their status, unless statuses lists it, or the condition when is true of them.", "clusters.*.retry.retries, clusters.*.retry.budget, clusters.*.retry.statuses, clusters.*.retry.when, clusters.*.retry.per_try_timeout"},

	// What an origin takes, and who waits.
	{"capacity", "How many exchanges an origin may have at once, over all clusters that name it: 1000 unless configured. It never gets more. With auto, or bounds such as 10-500, the gateway finds out how many it can take: while answers begin as soon as they do when the origin is at ease, it grows; when they take more than one and a half times as long, it falls.", "clusters.*.origins[].capacity, clusters.*.count_tunnels"},
	{"load", "How many of an origin's slots are taken: exchanges under way there, and tunnels unless they are not counted.", "clusters.*.origins[].capacity, clusters.*.count_tunnels"},
	{"queue", "Where requests wait, in order of arrival, while every origin of the cluster is full. It is there without being written, with 200 places and ten seconds. Who finds no place, or waits too long, is answered 503 with Retry-After and the busy page.", "clusters.*.queue, sites.*.pages.busy"},
	{"waiting", "Exchanges in a queue that would take a slot at this origin. One that would take any of three is counted at each of them.", "clusters.*.queue"},
	{"overflow", "What becomes of a request that finds the queue full: the busy page, or with failover the mapping's failover clusters. One that has waited too long gets the busy page all the same.", "clusters.*.queue.overflow, mappings[].failover"},

	// Decisions.
	{"rule", "A condition and an action: permit, redirect or reject. The first whose condition is true decides a request; rules of all sites come before the site's own. weirkeep explain says which, weirkeep help RULES what conditions can ask.", "rules, sites.*.rules"},
	{"permit", "What a rule lets a request go to, of those that could serve it anyway (the best set). It does not move a request whose session is bound elsewhere, unless the rule overrides that or names an edition.", "rules[].permit, override_affinity, affinity_shields"},
	{"application", "What is deployed below a context root, on some clusters. A mapping that names applications leaves it to the one that fits best who serves a request.", "applications, mappings[].applications"},
	{"editions", "Versions of an application, which origins or their clusters carry as labels. Requests that no rule sends to an edition go to the active one, if one is named.", "editions, clusters.*.edition, clusters.*.origins[].edition"},
	{"rollout", "How an application's origins come to its next edition, some at a time, without a session being cut off: weirkeep edition rollout begins one. When it is over it holds until the configuration says what is true.", "editions.*.next, editions.*.rollout"},
	{"grouped", "The strategy of a roll-out in which group_size origins change at a time and both editions serve meanwhile. It is the default.", "editions.*.rollout.strategy, editions.*.rollout.group_size"},
	{"atomic", "The strategy of a roll-out in which one half of the origins changes and then the other. From the moment when the first half is ready all that is new goes there, so that whoever is new is never served by two editions at once.", "editions.*.rollout.strategy"},
	{"pending", "The stage of an origin that a roll-out has not come to: it serves the old edition.", "editions.*.rollout"},
	{"waiting-for-ready", "The stage of an origin that a roll-out has drained and closed, so that somebody renews it. It is opened when it is up and a health answer says X-Edition: LABEL, or weirkeep edition confirm says that it is renewed.", "editions.*.rollout, clusters.*.health"},
	{"ready", "The stage of an origin that is renewed, and closed until the rest of its half is: of an atomic roll-out. Of a gateway: that it should get new clients, by /readyz and weirkeep health.", "editions.*.rollout.strategy"},
	{"done", "The stage of an origin that a roll-out is through with: it serves the new edition.", "editions.*.rollout"},
	{"cell", "A part of the whole in which the names of clusters are unique: main/shop is cluster shop of cell main. Names without one are in the node's own.", "node.cell, clusters, rules_authority"},

	// What the cache of a site does for an exchange.
	{"hit", "The client was answered from the store, with what was fresh.", "cache.enabled, cache.memory"},
	{"stale", "The client was answered from the store, although that had expired: it may be used while it is asked for anew, instead of an error, or while no origin can be reached. Of what is stored: it has expired.", "cache.stale.while_revalidate, cache.stale.if_error, cache.stale.disconnected"},
	{"revalidated", "The client was answered from the store, after an origin had said that what had expired there still holds.", "cache.enabled"},
	{"collapsed", "The client was answered by what was fetched for another request that came before.", "cache.collapse.wait"},
	{"miss", "An origin was asked, since nothing was stored that could be the answer. weirkeep explain says what is stored.", "cache.key, cache.vary"},
	{"pass", "An origin was asked without a look at the store: a caching rule says so, or the request is one whose answer cannot be stored. weirkeep explain says why.", "cache.rules[].pass, cache.rules[].session"},
	{"unreachable", "No origin was asked: the last request for the same had reached none, less than cache.ttl.unreachable ago, and the client was answered with the same reason.", "cache.ttl"},
	{"cache-status", "The field of answers that says what the cache did (RFC 9211). hit: it is from the store. fwd says why an origin was asked: uri-miss: nothing is stored of the target; vary-miss: what is stored was chosen by something else; stale: it has expired; partial: a part is missing; request: it may not be used for such a request, as one with Authorization or an upgrade; method, bypass: the store was not looked at, for the method or content, or a caching rule or router that passes. fwd-status is what the origin answered, ttl for how many seconds the answer is fresh, stored that it was stored, collapsed that it was fetched for another request; detail is why it was not stored, or why no origin was reached. Of a page that was made of a template all this is of the template; fragments is how many it had asked for when its head was sent, fragments-hit how many of these were in memory.", "cache.status_header"},
	{"purge", "Taking what is stored away, or making it stale (--soft), by URL, site, path, tag, or a condition: weirkeep cache purge. It holds for what is being fetched, too.", "cache.tags, cache.rules[].tags"},
	{"tag", "A name that stored answers are purged by. An origin lists them in Surrogate-Key or Cache-Tag, a caching rule adds its own.", "cache.tags.from, cache.rules[].tags"},

	// Pages that are put together here.
	{"page", "What a client gets of a template: its text, with fragments in the places of its includes. It is made for each request, and never stored.", "esi.mode, esi.max_page, esi.client_ttl, esi.first_byte"},
	{"include", "The element of a template that stands for a fragment: <esi:include src=\"/path\" alt=\"/other\" onerror=\"continue\"/>. What it asks for if that fails is alt; with onerror=\"continue\" the page goes on without it.", "esi.max_includes, esi.max_depth, esi.on_error, esi.unmapped_providers"},
	{"surrogate-control", "The field by which an origin says something of an answer to the caches in front of it alone: content=\"ESI/1.0\" makes a template of it, max-age=60+30 lets it be fresh for 60 s and be used for 30 s more while it is asked for anew, no-store has it not stored. Here it outranks Cache-Control and Expires; no client gets it. What is said to one gateway has its name behind it: max-age=60;NODE.", "esi.mode, cache.enabled, node.name"},
	{"template", "An answer with markup (ESI) that a page is made from: its origin says so by Surrogate-Control: content=\"ESI/1.0\", or its media type does with esi.mode: content-types. It is stored as it came, and assembled for each request; what a client gets is never stored.", "esi.mode, esi.types, esi.statuses, cache.enabled"},
	{"fragment", "What stands in a page in the place of an include. It is fetched as a request of its own, with its own place in the store and its own freshness; one that fails is made good by the markup, or by esi.on_error. Caches and origins count it. The access log has no line for it: the line of the page says how many there were (fragments), how many failures the markup made good (fragments_recovered), and how many nothing did (fragments_failed).", "esi.on_error, esi.max_includes, esi.fragment_timeout, sites.*.pages.fragment"},
	{"esi-provider", "The kind of a site that is for fragments of pages alone: a client that asks for it is refused (404, site_not_public).", "sites.*.kind, sites.*.trust_invalidate"},

	// Sessions.
	{"binding", "That a session belongs to an origin. A learned one is made when the origin sets its cookie or has its id in Location, is kept in memory and forgotten after idle_timeout (30m) without a request; a passive one stands in the id itself, a gateway-cookie in a cookie of the gateway's own.", "sessions.*.binding, sessions.*.idle_timeout, sessions.*.entries"},
	{"session", "How a session id is read off requests and answers: a cookie, a parameter of the URL, or both. A cluster or a site names it; then requests with an id go to the origin that gave it out.", "sessions, clusters.*.session, sites.*.session"},
}

// findWord is the word of a name, in whatever case.
func findWord(name string) (word, bool) {
	for _, w := range words {
		if w.name == strings.ToLower(name) {
			return w, true
		}
	}
	return word{}, false
}

func wordNames() []string {
	names := make([]string, 0, len(words))
	for _, w := range words {
		names = append(names, w.name)
	}
	return names
}

// explainWord prints what a word means, and the balancer of that name, if there
// is one.
func (a *app) explainWord(w word) error {
	_, err := fmt.Fprintf(a.stdout, "%s\n\n%s\n\nKeys that have to do with it:\n%s\n", a.paint(a.stdout).bold(w.name), w.means, indented(w.keys))
	if err != nil || balance.About(w.name) == "" {
		return err
	}
	fmt.Fprintln(a.stdout)
	return a.explainBalancer(w.name)
}

// listWords prints the first sentence of each word.
func (a *app) listWords() error {
	for _, w := range words {
		if _, err := fmt.Fprintf(a.stdout, "%-17s %s\n", w.name, w.short()); err != nil {
			return err
		}
	}
	return nil
}

// short is the first sentence.
func (w word) short() string {
	first, _, _ := strings.Cut(w.means, ". ")
	return strings.TrimSuffix(first, ".")
}
