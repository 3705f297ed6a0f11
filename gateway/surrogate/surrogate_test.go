package surrogate

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

const device = "weirkeep-edge-1"

// read is what lines of Surrogate-Control say to the device.
func read(lines ...string) (c Control) {
	for _, line := range lines {
		c.Read([]byte(line), device)
	}
	return c
}

// told is what a control says, in words.
func told(c Control) string {
	var words []string
	say := func(is bool, format string, args ...any) {
		if is {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	say(c.NoStore, "no-store")
	say(c.NoStoreRemote, "no-store-remote")
	say(c.HasMaxAge, "max-age %v+%v", c.MaxAge, c.Extension)
	say(c.HasContent, "content %q", c.Content)
	say(c.VaryHeaders != nil, "headers %q", c.VaryHeaders)
	say(c.VaryCookies != nil, "cookies %q", c.VaryCookies)
	say(c.HasCompress, "compress %v", c.Compress)
	return strings.Join(words, ", ")
}

func TestControl(t *testing.T) {
	for _, tt := range []struct{ id, field, want string }{
		{"nothing", ``, ``},
		{"H2 of the specification", `max-age=120+60, content="ESI/1.0", no-store-remote;weirkeep-edge-1`, `no-store-remote, max-age 2m0s+1m0s, content "ESI/1.0"`},
		{"H2 no-store", `no-store`, `no-store`},
		{"H2 for others", `no-store;other, max-age=5;other`, ``},
		{"H2 for the device beats for all", `max-age=5, max-age=7;weirkeep-edge-1, max-age=9`, `max-age 7s+0s`},
		{"H2 wherever it stands", `max-age=7;weirkeep-edge-1, max-age=5`, `max-age 7s+0s`},
		{"H2 the first of two", `max-age=5, max-age=7`, `max-age 5s+0s`},
		{"H2 max-age for the device beats no-store for all", `max-age=7;weirkeep-edge-1, no-store`, `max-age 7s+0s`},
		{"H2 no-store for the device", `no-store;weirkeep-edge-1, max-age=5`, `no-store, max-age 5s+0s`},
		{"H2 both for all", `no-store, max-age=5`, `no-store, max-age 5s+0s`},
		{"H2 blanks", ` max-age = 5 + 6 ; weirkeep-edge-1 ,, content = "ESI/1.0" `, `max-age 5s+6s, content "ESI/1.0"`},
		{"H3 content in order", `content="ESI/1.0 ESI-Inline/1.0"`, `content "ESI/1.0 ESI-Inline/1.0"`},
		{"H3 without quotes", `content=ESI/1.0`, `content "ESI/1.0"`},
		{"H3 a comma in quotes", `content="ESI/1.0,x", max-age=1`, `max-age 1s+0s, content "ESI/1.0,x"`},
		{"H5 any case", `Max-Age=5, NO-STORE, Content="esi/1.0"`, `no-store, max-age 5s+0s, content "esi/1.0"`},
		{"D-WC-17 stale at 30 s, gone at 90 s", `max-age=30+60`, `max-age 30s+1m0s`},
		{"D-WC-17 infinity", `max-age=infinity`, `max-age 596523h14m7s+0s`},
		{"D-WC-17 infinity behind the plus", `max-age=30+infinity`, `max-age 30s+596523h14m7s`},
		{"D-WC-17 vary", `vary=headers(Accept, X-A);cookies(a b), max-age=1`, `max-age 1s+0s, headers "Accept, X-A", cookies "a b"`},
		{"D-WC-17 vary in quotes", `vary="headers(Accept);cookies(a)"`, `headers "Accept", cookies "a"`},
		{"D-WC-17 vary by one of them", `vary=cookies(a;b);weirkeep-edge-1`, `cookies "a;b"`},
		{"D-WC-17 vary for others", `vary=cookies(a);headers(b);other`, ``},
		{"D-WC-17 vary that is none", `vary=cookies(a`, ``},
		{"D-WC-17 compress", `compress=yes`, `compress true`},
		{"D-WC-17 no compress", `compress=no`, `compress false`},
		{"large numbers", `max-age=99999999999999999999+4294967296`, `max-age 596523h14m7s+596523h14m7s`},
		{"no numbers", `max-age=-1+x`, `max-age 0s+0s`},
		{"nothing is a number", `max-age`, `max-age 0s+0s`},
		{"unknown directives", `foo, bar="no-store", private`, ``},
		{"an open quote", `content="ESI/1.0, no-store`, ``},
		{"quotes that do not match", `content="a"b"c", no-store`, `no-store`},
	} {
		if got := told(read(tt.field)); got != tt.want {
			t.Errorf("%s: %s says %s, want %s", tt.id, tt.field, got, tt.want)
		}
	}
	if got := told(read(`max-age=5;weirkeep-edge-1`, `no-store, content="ESI/1.0"`)); got != `max-age 5s+0s, content "ESI/1.0"` {
		t.Errorf("two lines say %s", got)
	}
}

func TestContent(t *testing.T) {
	c := read(`content="esi/1.0  ORAESI/9.0.4"`)
	if !c.Needs(ESI) || c.Needs(ESIInline) || !c.Beyond(ESI) || c.Beyond(ESI, "ORAESI/9.0.4") {
		t.Errorf("%q is misread", c.Content)
	}
	if c := read(`max-age=1`); c.Needs(ESI) || c.Beyond() {
		t.Error("no content needs something")
	}
}

// H3: what is left for who is closer to the client.
func TestRest(t *testing.T) {
	for field, want := range map[string]string{
		`content="ESI/1.0"`:                                  ``,
		`content="ESI/1.0", max-age=5`:                       `max-age=5`,
		`content="ESI/1.0 X/2.0", no-store-remote`:           `content="X/2.0", no-store-remote`,
		`content="X/2.0"`:                                    `content="X/2.0"`,
		`content="ESI/1.0";weirkeep-edge-1, max-age=9;other`: `max-age=9;other`,
		`content="ESI/1.0";other`:                            `content="ESI/1.0";other`,
		`no-store;weirkeep-edge-1`:                           ``,
		`vary=headers(a,b);cookies(c), ,compress=yes`:        `vary=headers(a,b);cookies(c), compress=yes`,
		``: ``,
	} {
		if got := string(AppendRest(nil, []byte(field), device, ESI)); got != want {
			t.Errorf("of %s is left %s, want %s", field, got, want)
		}
	}
}

func TestCapability(t *testing.T) {
	first := AppendCapability(nil, nil, device, Surrogate, ESI)
	if string(first) != `weirkeep-edge-1="Surrogate/1.0 ESI/1.0"` {
		t.Errorf("the first is %s", first)
	}
	second := AppendCapability(nil, first, "inner", Surrogate, ESI, ESIInline)
	if string(second) != `weirkeep-edge-1="Surrogate/1.0 ESI/1.0", inner="Surrogate/1.0 ESI/1.0 ESI-Inline/1.0"` {
		t.Errorf("the second is %s", second)
	}
	for _, tt := range []struct {
		value            string
		announces, names bool
	}{
		{string(first), true, true},
		{string(second), true, true},
		{`other="Surrogate/1.0"`, false, false},
		{`other = "Surrogate/1.0 esi/1.0"`, true, false},
		{`other="weirkeep-edge-1, ESI/1.00"`, false, false},
		{`weirkeep-edge-1`, false, false},
		{`weirkeep-edge-11="ESI/1.0"`, true, false},
		{``, false, false},
	} {
		if Announces([]byte(tt.value), ESI) != tt.announces || Names([]byte(tt.value), device) != tt.names {
			t.Errorf("%s is misread", tt.value)
		}
	}
}

// Reading costs nothing but the field itself.
func TestControlAllocs(t *testing.T) {
	line := []byte(`max-age=120+60, content="ESI/1.0", no-store-remote;weirkeep-edge-1`)
	if n := testing.AllocsPerRun(100, func() {
		var c Control
		c.Read(line, device)
	}); n != 0 {
		t.Errorf("it allocates %v times, want 0", n)
	}
}

// FuzzControl: what is left of a field says the same to others as the field did, but for what
// was done, and nothing to the device alone; what is left of that is the same again.
func FuzzControl(f *testing.F) {
	for _, seed := range []string{
		`max-age=120+60, content="ESI/1.0 X", no-store-remote;weirkeep-edge-1`, `vary=headers(a);cookies(b);x, compress=no`, `content="a,b;c"`, `a;b;c, ;;, =`, `no-store;weirkeep-edge-1;other`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, field string) {
		rest := AppendRest(nil, []byte(field), device, ESI)
		if again := AppendRest(nil, rest, device, ESI); !bytes.Equal(again, rest) {
			t.Fatalf("of %q is left %q, and of that %q", field, rest, again)
		}
		if c := read(string(rest)); c.own != 0 || c.Needs(ESI) {
			t.Fatalf("of %q is left %q", field, rest)
		}
		for _, who := range []string{"other", "x"} {
			var before, after Control
			before.Read([]byte(field), who)
			after.Read(rest, who)
			if before.Needs("X") != after.Needs("X") || before.NoStore != after.NoStore || before.MaxAge != after.MaxAge {
				t.Fatalf("%q says %s to %s, and what is left, %q, says %s", field, told(before), who, rest, told(after))
			}
			if m := max(before.MaxAge, before.Extension); m > Longest || m < 0*time.Second {
				t.Fatalf("%q says %v", field, m)
			}
		}
	})
}
