package config

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// loadSample loads a text in a directory that has every file it may name.
func loadSample(t *testing.T, text string) *Config {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"tls/site.pem", "tls/site.key", "tls/clients.pem", "tls/origins.pem",
		"plugins/by-customer.wasm", "plugins/busy.wasm", "plugins/looks-automated.wasm", "plugins/redact.wasm",
		"run/token", "pages/network.html", "pages/missing.html", "pages/busy.html", "pages/fragment.html"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("0123456789abcdef0123456789abcdef"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "weirkeep.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, problems := Load(path)
	if problems.Errors() > 0 {
		t.Fatal(problems)
	}
	return cfg
}

func TestSampleIsGood(t *testing.T) {
	for _, tt := range []struct {
		name, origin string
		want         []string // host and port of its origins
	}{
		{"demo", "", []string{"127.0.0.1:9001", "127.0.0.1:9002", "127.0.0.1:9003"}},
		{"an origin", "127.0.0.1:3000", []string{"127.0.0.1:3000"}},
		{"an origin's URL", "https://shop.example", []string{"shop.example:443"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg, problems := Parse("weirkeep.yaml", Sample(tt.origin))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			var got []string
			for _, o := range cfg.Clusters["app"].Origins {
				got = append(got, o.HostPort)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("origins %v, want %v", got, tt.want)
			}
			if m := cfg.Mappings[0]; m.Site != cfg.DefaultSite || m.Cluster != "app" {
				t.Errorf("default site %q, mapping %v", cfg.DefaultSite, m)
			}
		})
	}
}

// setting finds a setting that is commented out: "#" directly before a key or
// an entry of a list.
var setting = regexp.MustCompile(`(?m)^( *)#((?:- )?["{a-z0-9]|- )`)

// TestSampleHasEveryKey takes the "#" away before every setting, and looks for
// each field in what is then written.
func TestSampleHasEveryKey(t *testing.T) {
	cfg := loadSample(t, setting.ReplaceAllString(string(Sample("")), "$1$2"))
	written := map[string]bool{}
	for path := range cfg.places {
		written[general(path)] = true
	}
	eachField(reflect.TypeFor[Config](), "", func(path string, f reflect.StructField) {
		if !written[path] {
			t.Errorf("%s does not stand in the sample", path)
		}
	})
}

// TestSampleDefaultsAreTrue compares what the sample says is the default.
func TestSampleDefaultsAreTrue(t *testing.T) {
	cfg := loadSample(t, setting.ReplaceAllString(string(Sample("")), "$1$2"))
	standards := map[string]string{}
	eachField(reflect.TypeFor[Config](), "", func(path string, f reflect.StructField) {
		standards[path] = rulesOf(f.Tag).standard
	})
	claims := 0
	for path, p := range cfg.places {
		if path == "" || strings.HasSuffix(path, "]") || p.many && !isList(p) || !strings.Contains(p.value.src.lines[p.value.line-1], "#=") {
			continue
		}
		claims++
		line := p.value.src.lines[p.value.line-1]
		value := strings.TrimSpace(strings.Split(line[p.value.col-1:], "#=")[0])
		value = strings.NewReplacer(`"`, "", "[", "", "]", "", ", ", "|").Replace(value)
		if value != standards[general(path)] {
			t.Errorf("%s is said to be %s by default, is %s", path, value, standards[general(path)])
		}
	}
	if claims < 50 {
		t.Errorf("%d defaults are claimed, want 50 or more", claims)
	}
}

// isList reports whether a place has a list in brackets.
func isList(p place) bool {
	return p.value.src.lines[p.value.line-1][p.value.col-1] == '['
}

// chosen finds what an operator chooses in a path: indexes, and names of maps.
var chosen = regexp.MustCompile(`\[\d+\]|^((?:clusters|sites|origins|sessions|hosts|applications|editions|lists|plugins)\.)[^.]+|(\.pages\.|\.set\.|\.ttl\.).*$`)

// general is a path with * for what an operator chooses. An origin of a cluster
// has the same keys as a shared one, a rule of a site as one of all sites, its cache as that
// of all.
func general(path string) string {
	path = chosen.ReplaceAllStringFunc(path, func(s string) string {
		if s[0] == '[' {
			return "[*]"
		}
		cut := strings.Index(s[1:], ".") + 2
		return s[:cut] + "*"
	})
	path = strings.Replace(path, "sites.*.rules[*]", "rules[*]", 1)
	path = strings.Replace(path, "sites.*.cache", "cache", 1)
	path = strings.Replace(path, "sites.*.esi", "esi", 1)
	return strings.Replace(path, "clusters.*.origins[*]", "origins.*", 1)
}

// eachField visits every field that has a key, with its general path.
func eachField(t reflect.Type, path string, visit func(path string, f reflect.StructField)) {
	switch t.Kind() {
	case reflect.Pointer:
		eachField(t.Elem(), path, visit)
	case reflect.Slice:
		eachField(t.Elem(), path+"[*]", visit)
	case reflect.Map:
		eachField(t.Elem(), path+".*", visit)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if key := keyOf(f); key != "" {
				visit(general(join(path, key)), f)
				eachField(f.Type, join(path, key), visit)
			}
		}
	}
}
