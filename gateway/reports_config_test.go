package gateway

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weirkeep/gateway/config"
)

// reportFile writes a configuration file.
func reportFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "weirkeep.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// reportScopes are the blocks of a configuration, each with the place of one
// further key.
var reportScopes = map[string]struct {
	of   reflect.Type
	text string
}{
	"top":               {reflect.TypeFor[config.Config](), "%s"},
	"node":              {reflect.TypeFor[config.Node](), "node: { %s }"},
	"listeners":         {reflect.TypeFor[config.Listener](), "listeners: [{ address: \":0\", %s }]"},
	"admin":             {reflect.TypeFor[config.Admin](), "admin: { %s }"},
	"limits":            {reflect.TypeFor[config.Limits](), "limits: { %s }"},
	"timeouts":          {reflect.TypeFor[config.Timeouts](), "timeouts: { %s }"},
	"drain":             {reflect.TypeFor[config.Drain](), "drain: { %s }"},
	"origins":           {reflect.TypeFor[config.Origin](), "origins: { web: { address: \"127.0.0.1:9009\", %s } }"},
	"clusters":          {reflect.TypeFor[config.Cluster](), "clusters: { app: { origins: [{ address: \"127.0.0.1:9001\" }], %s } }"},
	"clusters.origins":  {reflect.TypeFor[config.Origin](), "clusters: { app: { origins: [{ address: \"127.0.0.1:9001\", %s }] } }"},
	"clusters.retry":    {reflect.TypeFor[config.Retry](), "clusters: { app: { origins: [{ address: \"127.0.0.1:9001\" }], retry: { %s } } }"},
	"clusters.tls":      {reflect.TypeFor[config.OriginTLS](), "clusters: { app: { origins: [{ address: \"127.0.0.1:9001\" }], tls: { %s } } }"},
	"sites":             {reflect.TypeFor[config.Site](), "sites: { s: { hosts: [a.example], %s } }"},
	"sites.headers":     {reflect.TypeFor[config.SiteHeaders](), "sites: { s: { hosts: [a.example], headers: { %s } } }"},
	"sites.headers.set": {reflect.TypeFor[config.HeaderEdit](), "sites: { s: { hosts: [a.example], headers: { request: { %s } } } }"},
	"mappings":          {reflect.TypeFor[config.Mapping](), "mappings: [{ site: s, cluster: app, %s }]"},
	"access_log":        {reflect.TypeFor[config.AccessLog](), "access_log: { %s }"},
}

// reportKeys are the keys of a block.
func reportKeys(of reflect.Type) (keys []string) {
	for i := range of.NumField() {
		if key, _, _ := strings.Cut(of.Field(i).Tag.Get("yaml"), ","); key != "" && key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}

// reportBlock is a whole file in which one block has one more key.
func reportBlock(scope, key string) string {
	text := map[string]string{
		"listeners": "listeners: [{ address: \":0\" }]",
		"clusters":  "clusters: { app: { origins: [{ address: \"127.0.0.1:9001\" }] } }",
		"sites":     "sites: { s: { hosts: [a.example] } }",
		"mappings":  "mappings: [{ site: s, cluster: app }]",
	}
	top, _, _ := strings.Cut(scope, ".")
	text[top] = fmt.Sprintf(reportScopes[scope].text, key+": 1")
	var file strings.Builder
	for _, name := range []string{"listeners", "clusters", "sites", "mappings"} {
		file.WriteString(text[name] + "\n")
		delete(text, name)
	}
	for _, rest := range text {
		file.WriteString(rest + "\n")
	}
	return file.String()
}

// A key is known in the blocks that have it and an error in all others.
func TestReportKeysOutOfPlace(t *testing.T) {
	t.Parallel()
	var all []string
	for _, s := range reportScopes {
		all = append(all, reportKeys(s.of)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for scope, s := range reportScopes {
		t.Run("CX-02: "+scope, func(t *testing.T) {
			t.Parallel()
			own := reportKeys(s.of)
			for _, key := range all {
				cfg, problems := config.Parse("weirkeep.yaml", []byte(reportBlock(scope, key)))
				unknown := slices.ContainsFunc(problems, func(p config.Problem) bool {
					return p.Code == "E102" && strings.Contains(p.Message, `"`+key+`"`)
				})
				if belongs := slices.Contains(own, key); unknown == belongs || !belongs && cfg != nil {
					t.Errorf("%s in %s: unknown %v, want %v: %v", key, scope, unknown, !belongs, problems)
				}
			}
		})
	}
}

func TestReportMisspeltKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, scope, key, hint string }{
		{"CX-01: a site's hosts", "sites", "hosst", "hosts"},
		{"CX-01: a mapping's prefix", "mappings", "prefx", "prefix"},
		{"CX-01: a mapping's prefix, in capitals", "mappings", "Prefix", "prefix"},
		{"CX-01: a mapping's site", "mappings", "sites", "site"},
		{"CX-01: strip_prefix", "mappings", "strip-prefix", "strip_prefix"},
		{"CX-01: a cluster's retry", "clusters", "retries", ""},
		{"CX-01: path_prefix", "sites", "path-prefix", "path_prefix"},
		{"CX-01: nothing like it", "mappings", "mach", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(reportBlock(tt.scope, tt.key), "hosts: [a.example], ", "", 1)
			file := reportFile(t, text)
			cfg, problems := config.Load(file)
			if cfg != nil {
				t.Fatal("it was loaded")
			}
			i := slices.IndexFunc(problems, func(p config.Problem) bool { return p.Code == "E102" })
			if i < 0 {
				t.Fatalf("no E102 in %v", problems)
			}
			p := problems[i]
			if p.File != file || p.Line == 0 || p.Column == 0 || !strings.Contains(p.String(), tt.hint) || tt.hint != "" && !strings.Contains(p.Hint, tt.hint) {
				t.Errorf("the problem is %v, want a place and the hint %q", p, tt.hint)
			}
		})
	}
}

// A file that is being written is refused with a reason, and stays as it is.
func TestReportHalfWrittenFiles(t *testing.T) {
	t.Parallel()
	o := newReportOKOrigin(t)
	g := startReport(t, o, "", "")
	good := reportYAML(o, "", "timeouts: { head: 5s }")
	for _, tt := range []struct{ name, text string }{
		{"CX-04: truncated", ""},
		{"CX-04: a first line", good[:20]},
		{"CX-04: half of it", good[:len(good)/2]},
		{"CX-04: invalid", strings.Replace(good, "origins", "orgins", 1)},
		{"CX-04: no YAML", "{{{"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := reportFile(t, tt.text)
			cfg, problems := config.Load(file)
			if cfg != nil || problems.Errors() == 0 || problems[0].Message == "" {
				t.Errorf("it was loaded, with %v", problems)
			}
			if now, err := os.ReadFile(file); err != nil || string(now) != tt.text {
				t.Errorf("the file is now %q, %v", now, err)
			}
			if entries, _ := os.ReadDir(filepath.Dir(file)); len(entries) != 1 {
				t.Errorf("files were left beside it: %v", entries)
			}
			if a := g.do(t, reportGET("/")); a.code != 200 {
				t.Errorf("what is current answers %q", a.head)
			}
		})
	}
	t.Run("CX-04: once it is whole", func(t *testing.T) {
		apply(t, g.Gateway, good)
		if a := g.do(t, reportGET("/")); a.code != 200 || g.Status().Revision != 2 {
			t.Errorf("answered %q at revision %d", a.head, g.Status().Revision)
		}
	})
}

// A file gets the same verdict from check, at the start, and on a reload.
func TestReportOneVerdict(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing.pem")
	garbage := filepath.Join(t.TempDir(), "garbage.pem")
	if err := os.WriteFile(garbage, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := newReportOKOrigin(t)
	for _, tt := range []struct{ name, text string }{
		{"CX-05: a good file", reportYAML(o, "", "")},
		{"CX-05: a warning", reportYAML(o, "", "sites: { s: { hosts: [a.example] } }\nmappings: [{ site: s, cluster: app }, { site: s, prefix: /x, cluster: app }]")},
		{"CX-05: an unknown key", reportYAML(o, ", orgins: []", "")},
		{"CX-05: a value out of range", reportYAML(o, ", retry: { retries: 99 }", "")},
		{"CX-05: an authority that is missing", reportYAML(o, fmt.Sprintf(", tls: { ca: %q }", missing), "")},
		{"CX-05: an authority that is none", reportYAML(o, fmt.Sprintf(", tls: { ca: %q }", garbage), "")},
		{"CX-05: a page that is missing", reportYAML(o, "", fmt.Sprintf("sites: { s: { hosts: [a.example], pages: { network: %q } } }\nmappings: [{ site: s, cluster: app }]", missing))},
		{"CX-05: a certificate that is none", strings.Replace(reportYAML(o, "", ""), ":0\" }", fmt.Sprintf(":0\", tls: { certificates: [{ cert: %q, key: %q }] } }", garbage, garbage), 1)},
		{"CX-05: a site twice", reportYAML(o, "", "sites: { a: { hosts: [a.example] }, b: { hosts: [a.example] } }\nmappings: [{ site: a, cluster: app }, { site: b, cluster: app }]")},
		{"CX-05: a cluster that is missing", reportYAML(o, "", "sites: { a: { hosts: [a.example] } }\nmappings: [{ site: a, cluster: ap }]")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := reportFile(t, tt.text)
			running := startReport(t, o, "", "")
			fresh := New(Options{Stderr: new(reportLog)})
			defer fresh.Close()
			check := reportVerdict(file, Check)
			if at := reportVerdict(file, fresh.Apply); at != check {
				t.Errorf("at the start:\n%s\ncheck:\n%s", at, check)
			}
			if at := reportVerdict(file, running.Apply); at != check {
				t.Errorf("on a reload:\n%s\ncheck:\n%s", at, check)
			}
			if a := running.do(t, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"); a.code != 200 && strings.Contains(check, "error") {
				t.Errorf("after a refused reload it answers %q", a.head)
			}
		})
	}
}

// reportVerdict is all that is said of a file.
func reportVerdict(file string, use func(*config.Config) config.Problems) string {
	cfg, problems := config.Load(file)
	if cfg != nil {
		problems = append(problems, use(cfg)...)
	}
	var all strings.Builder
	for _, p := range problems {
		all.WriteString(p.String() + "\n")
	}
	return all.String()
}
