package esi

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// maker makes a template at random, and says by a plain reading of the language what page
// it makes: text, or the failure that ends it.
type maker struct {
	*rand.Rand
	fragments map[string]string
	policy    OnError
}

// made is a part of a template.
type made struct {
	markup string
	text   string
	fails  Failure // None: it does not
}

// then is one part after another. What comes after a failure is not looked at.
func (m made) then(n made) made {
	m.markup += n.markup
	if m.fails == None {
		m.text += n.text
		m.fails = n.fails
	}
	return m
}

// content makes a few parts. In an attempt, the site's policy makes nothing good.
func (m *maker) content(depth int, attempt bool) (all made) {
	for range m.IntN(4) {
		all = all.then(m.part(depth, attempt))
	}
	return all
}

func (m *maker) part(depth int, attempt bool) made {
	if depth == 0 {
		return m.literal()
	}
	switch m.IntN(8) {
	case 0:
		return m.choose(depth-1, attempt)
	case 1:
		return m.try(depth-1, attempt)
	case 2:
		inner := m.content(depth-1, false)
		return made{markup: "<esi:remove>" + inner.markup + "</esi:remove>"}
	case 3:
		inner := m.content(depth-1, attempt)
		inner.markup = "<esi:vars>" + inner.markup + "</esi:vars>"
		return inner
	case 4, 5:
		return m.include(depth-1, attempt)
	}
	return m.literal()
}

var literals = []string{"a", "<b>", " ", "</p>\n", "<!-- <esi:include src='/never'/> -->", "<![CDATA[</esi:try>]]>", "$", "<", "--&gt;"}

func (m *maker) literal() made {
	text := literals[m.IntN(len(literals))]
	if text == "<" {
		text = "<i "
	}
	return made{markup: text, text: text}
}

func (m *maker) choose(depth int, attempt bool) made {
	out := made{}
	taken := false
	var branches []string
	for range m.IntN(3) {
		holds := m.IntN(2) == 0
		inner := m.content(depth, attempt)
		branches = append(branches, fmt.Sprintf("<esi:when test=\"%t\">%s</esi:when>", holds, inner.markup))
		if holds && !taken {
			out, taken = inner, true
		}
	}
	if m.IntN(2) == 0 {
		inner := m.content(depth, attempt)
		at := m.IntN(len(branches) + 1)
		branches = append(branches[:at:at], append([]string{"<esi:otherwise>" + inner.markup + "</esi:otherwise>"}, branches[at:]...)...)
		if !taken {
			out = inner
		}
	}
	out.markup = "<esi:choose> " + strings.Join(branches, "\n") + "</esi:choose>"
	return out
}

func (m *maker) try(depth int, attempt bool) made {
	attempted := m.content(depth, true)
	markup, out, caught := "<esi:try><esi:attempt>"+attempted.markup+"</esi:attempt>", attempted, false
	for range m.IntN(3) {
		name := failureTable[1+m.IntN(FailureCount-1)].except
		attribute, catches := " type='"+name+"'", name == failureTable[attempted.fails].except
		if m.IntN(2) == 0 {
			attribute, catches = "", true
		}
		inner := m.content(depth, attempt)
		markup += "<esi:except" + attribute + ">" + inner.markup + "</esi:except>"
		if attempted.fails != None && !caught && catches {
			out, caught = inner, true
		}
	}
	out = m.unanswered(out, attempt)
	out.markup = markup + "</esi:try>"
	return out
}

// include makes one with a fragment, which may be a template, and perhaps an alternative.
func (m *maker) include(depth int, attempt bool) made {
	u, out := m.fragment(depth, attempt)
	markup := "<esi:include src=\"" + u + "\""
	if m.IntN(3) == 0 {
		u, second := m.fragment(depth, attempt)
		markup += " alt='" + u + "'"
		if out.fails != None {
			out = second
		}
	}
	if m.IntN(3) == 0 {
		markup += " onerror=\"continue\""
		if out.fails != None {
			out = made{}
		}
	}
	out = m.unanswered(out, attempt)
	out.markup = markup + "/>"
	return out
}

// unanswered is what the site's policy makes of a failure.
func (m *maker) unanswered(out made, attempt bool) made {
	if out.fails != None && !attempt && m.policy == Empty {
		return made{}
	}
	return out
}

var speeds = []string{"", "ready ", "slow "}

func (m *maker) fragment(depth int, attempt bool) (u string, out made) {
	u = fmt.Sprintf("/%d", len(m.fragments))
	m.fragments[u] = "" // taken
	switch m.IntN(5) {
	case 0:
		f := Failure(1 + m.IntN(FailureCount-1))
		m.fragments[u] = "fail " + f.String()
		out = made{fails: f}
	case 1:
		m.fragments[u] = "cut x"
		out = made{fails: BadBody}
	case 2, 3:
		out = m.content(depth, attempt)
		m.fragments[u] = "esi " + out.markup
	default:
		out.text = "[" + u + "]"
		m.fragments[u] = "200 " + out.text
	}
	m.fragments[u] = speeds[m.IntN(len(speeds))] + m.fragments[u]
	if strings.HasPrefix(m.fragments[u], "ready cut") {
		m.fragments[u] = m.fragments[u][len("ready "):]
	}
	return u, out
}

// Templates at random make the pages that a plain reading of the language says.
func TestAssembleDoesWhatAPlainReadingSays(t *testing.T) {
	inBubbles(t, 1500, func(t *testing.T, seed uint64) {
		m := &maker{Rand: rand.New(rand.NewPCG(seed, 1)), fragments: map[string]string{}, policy: OnError(seed % 2)}
		want := m.content(4, false)
		p, problems := parse(t, want.markup)
		if problems.Total() > 0 {
			t.Fatalf("seed %d: %q has problems %v", seed, want.markup, problems.List)
		}
		o := Default()
		o.Depth, o.Includes, o.Concurrent, o.OnError = maxDepth, 1000, 1+int(seed%3), m.policy
		o.Timeout, o.FragmentTimeout = 1<<40, 1<<40
		for o.FirstByte = range Held + 1 {
			got, _, err := assembled(t, p, &shelf{fragments: m.fragments, pieces: int(seed % 5)}, o)
			failed, _ := err.(*Error)
			switch {
			case err == nil && want.fails == None && got == want.text:
			case failed != nil && failed.Failure == want.fails && (o.FirstByte == Early || got == ""):
			default:
				t.Fatalf("seed %d: %q with %q makes %q: %v; want %q: %v", seed, want.markup, m.fragments, got, err, want.text, want.fails)
			}
		}
	})
}
