package websphere

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// tests is a file of tests for the rules, nil if there are none: for each a request that it takes, and
// one that has nothing of what a request need not have; if it takes that too, one
// that it does not. What they expect follows from the original, not from what was
// written.
func (b *book) tests() []byte {
	var p page
	p.comment("", fmt.Sprintf("Tests of the rules of %s, for weirkeep rules test. What they expect is what the", b.options.Name))
	p.comment("", "original does. Where rules name no host, that of a test is www.example.com, and where")
	p.comment("", "they name no path, it is /: write hosts and paths that your sites and mappings have.")
	b.judges = b.counting()
	if len(b.judges) == 0 {
		return nil
	}
	p.line("tests:")
	for _, r := range b.judges {
		b.test(&p, r, "takes what it is for", b.taken(r))
		lacking := b.lacking(r)
		b.test(&p, r, "without headers, cookies and parameters", lacking)
		if lacking != nil && lacking.first == r {
			b.test(&p, r, "leaves the rest", b.left(r))
		}
	}
	return p.Bytes()
}

// taken is a request that the rule decides; nil: none was found.
func (b *book) taken(r *rule) (found *sample) {
	samples(r.selector, false, func(s *sample) bool {
		if r.selector.truth(s) != isTrue {
			return b.try()
		}
		if b.decides(s) && s.first == r {
			found = s
		}
		return found == nil && b.try()
	})
	return found
}

// lacking is a request without what it need not have: if there is one, one for
// which the original's expression is unknown, since there a negation goes wrong;
// else one for which it is false.
func (b *book) lacking(r *rule) (found *sample) {
	least := len(telling)
	samples(r.selector, true, func(s *sample) bool {
		if i := slices.Index(telling, r.selector.truth(s)); i < least {
			if b.decides(s) {
				found, least = s, i
			}
		}
		return least > 0 && b.try()
	})
	return found
}

// left is a request that the rule does not take; nil: none was found.
func (b *book) left(r *rule) (found *sample) {
	samples(r.selector, false, func(s *sample) bool {
		if r.selector.truth(s) != isTrue && b.decides(s) {
			found = s
		}
		return found == nil && b.try()
	})
	return found
}

// telling is the values that tell most about a translation, first.
var telling = []truth{isUnknown, isFalse, isTrue}

// decides finds the first rule whose expression is true for a request, if one is.
// It reports false where a percentage decides, and where it was tried too often.
func (b *book) decides(s *sample) bool {
	for _, r := range b.judges {
		if !b.try() {
			return false
		}
		switch t := r.selector.truth(s); {
		case t == isTrue:
			s.first = r
			return true
		case t == isUnknown && r.random():
			return false
		}
	}
	return true
}

// counting are the active rules of the cell whose rules count.
func (b *book) counting() (all []*rule) {
	for _, r := range b.active() {
		if r.cell == "" || b.reading.authority == "" || r.cell == b.reading.authority {
			all = append(all, r)
		}
	}
	return all
}

// maxTruths bounds the expressions that are evaluated for the tests of one file.
const maxTruths = 5_000_000

// try counts evaluations, and reports whether there may be more.
func (b *book) try() bool {
	b.truths++
	return b.truths <= maxTruths
}

// random reports whether a rule has a percentage.
func (r *rule) random() bool { return strings.Contains(r.when.text, "percent(") }

// test writes one test, or that there is none.
func (b *book) test(p *page, r *rule, what string, s *sample) {
	if s == nil {
		p.line("  # %s: no request was found that tells it from other rules for sure", r.name)
		return
	}
	p.line("  - name: %s", scalar(r.name+": "+what))
	p.line("    request: { method: %s, url: %s, from: %s%s }", scalar(s.method), scalar(s.url()), scalar(s.client.String()), s.fields())
	if s.first == nil {
		p.line("    expect: { rule: '' }")
		return
	}
	p.line("    expect: { rule: %s, action: %s }", scalar(s.first.name), actionNames[s.first.action.kind])
}

var actionNames = map[actionKind]string{actionPermit: "permit", actionRedirect: "redirect", actionReject: "reject"}

// url is where a request goes.
func (r *sample) url() string {
	var query []string
	for _, name := range sorted(r.queries) {
		query = append(query, name+"="+r.queries[name])
	}
	url := r.scheme + "://" + r.authority() + r.path
	if len(query) > 0 {
		url += "?" + strings.Join(query, "&")
	}
	return url
}

// fields are a request's header fields but for Host, as part of a test.
func (r *sample) fields() string {
	var all []string
	for _, name := range sorted(r.headers) {
		if name != "host" {
			all = append(all, scalar(name)+": "+strconv.Quote(r.headers[name]))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ", headers: { " + strings.Join(all, ", ") + " }"
}

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
