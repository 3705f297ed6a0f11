package websphere

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weirkeep/gateway/config"
)

// FuzzSelector: any text either becomes an expression that the rule language
// takes, or is refused with a place inside of it. What it becomes is true exactly
// where the original is, as far as one request shows.
func FuzzSelector(f *testing.F) {
	for _, s := range []string{
		`uri LIKE '/a%' AND NOT header$X = 'a'`, `clientipv4 BETWEEN '10.0.0.1' AND '10.0.0.9'`, `virtualport IN (1, 2.5, -3)`,
		`clientipv4 LIKE '1_.%.3'`, `cookie$a LIKE 'x!%' ESCAPE '!' OR percentage$5`, `((1+2)*3 < 5)`, `queryparm$q EQUALSIGNORECASE 'É'`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, selector string) {
		c, bad := parse(selector)
		var w writer
		var got clause
		if bad == nil {
			got, bad = w.translate(c)
		}
		if bad != nil {
			if bad[0].message == "" || bad[0].at > len(selector) {
				t.Fatalf("refused as %+v", bad[0])
			}
			return
		}
		p, errs := languageFor(t, w.lists).Compile("r", got.text)
		if len(errs) > 0 {
			if code := errs[0].Code; code != "E312" && code != "E313" {
				t.Fatalf("%q became %s: %+v", selector, got.text, errs[0])
			}
			return // too large to run, which is said
		}
		s := bare().finish()
		delete(s.headers, "host")
		v := &visitor{fixed: map[string]string{"uri": s.path, "httpmethod": s.method, "protocol": s.scheme, "virtualhost": s.host}, port: s.port, client: s.client}
		matched, err := p.Match(v.request())
		if err != nil {
			t.Fatal(err)
		}
		if matched != (c.truth(s) == isTrue) && !strings.Contains(got.text, "percent(") {
			t.Fatalf("%q became %s, which is %v", selector, got.text, matched)
		}
	})
}

// FuzzConvert: any file is refused, or becomes a configuration without a mistake,
// every rule of it converted or a comment, and tests that are YAML.
func FuzzConvert(f *testing.F) {
	for _, name := range inputs {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("<rules>\u2028<rule name='\u0085 - x: ${a}' expression=\"uri='#: ${b}'\" action='redirect:/#x: y'/></rules>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Convert(text, Options{Name: "f"})
		if err != nil {
			var bad *FileError
			if !errors.As(err, &bad) || bad.Message == "" {
				t.Fatalf("refused as %#v", err)
			}
			return
		}
		checkConfig(t, c)
	})
}

// checkConfig loads what was written beside the least that a configuration has.
func checkConfig(t *testing.T, c *Conversion) {
	t.Helper()
	rest := "listeners: [{ address: ':8080' }]\nclusters: { app: { origins: [{ address: '127.0.0.1:9001' }] } }\n"
	cfg, problems := config.Parse("f.yaml", append([]byte(rest), c.Config...))
	for _, p := range problems {
		if p.Severity == config.Error {
			t.Fatalf("%s\nin:\n%s", p, c.Config)
		}
	}
	if len(cfg.Rules) != c.Rules {
		t.Errorf("%d rules were read, %d written:\n%s", len(cfg.Rules), c.Rules, c.Config)
	}
}

// TestGoldenConfigurationsLoad: what golden files hold can be used.
func TestGoldenConfigurationsLoad(t *testing.T) {
	for _, name := range inputs {
		checkConfig(t, convertFile(t, name))
	}
}
