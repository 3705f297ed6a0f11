package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a file of origins is read as, and what is said of one that is wrong.
func TestFilesOfOrigins(t *testing.T) {
	t.Setenv("WEIRKEEP_TEST", "hush")
	for _, tt := range []struct {
		name, file, text string
		want             string // name host:port capacity, or a part of the problem
	}{
		{"lines", "o.txt", "10.0.0.1:80\n10.0.0.2:80\n", "10.0.0.1:80, 10.0.0.2:80"},
		{"comments and blanks", "o.list", "# ours\n\n  10.0.0.1:80  # first\r\nshop.example:8080", "10.0.0.1:80, shop.example:8080"},
		{"URLs", "o", "https://shop.example\nhttp://10.0.0.1", "shop.example:443 https, 10.0.0.1:80 http"},
		{"IPv6", "o.txt", "[2001:DB8:0::1]:80\n", "[2001:db8::1]:80"},
		{"YAML addresses", "o.yaml", "- 10.0.0.1:80\n- \"[::1]:80\"\n", "10.0.0.1:80, [::1]:80"},
		{"YAML with settings", "o.yml", "- { name: a, address: \"10.0.0.1:80\", capacity: 7, state: draining, ids: [\"1\"] }\n- 10.0.0.2:80\n",
			"a 10.0.0.1:80 7 draining, 10.0.0.2:80"},
		{"JSON", "o.json", "[\"10.0.0.1:80\", {\"address\": \"10.0.0.2:80\", \"host\": \"host-a\"}]\n", "10.0.0.1:80, 10.0.0.2:80 on host-a"},
		{"none", "o.yaml", "[]\n", ""},

		{"nothing", "o.yaml", "", "o.yaml:1:1: error E101: the file holds no origins"},
		{"nothing but comments", "o.txt", "# 10.0.0.1:80\n", "o.txt:1:1: error E101: the file holds no origins"},
		{"no address", "o.txt", "10.0.0.1:80\n\n  10.0.0.2\n", "o.txt:3:3: error E112: \"10.0.0.2\" must have a port"},
		{"a path", "o.txt", "http://10.0.0.2/x\n", "o.txt:1:1: error E112"},
		{"half a file", "o.yaml", "- 10.0.0.1:80\n- { address: \"10.0.0.2:80\"", "o.yaml:2:3: error E100"},
		{"a map", "o.yaml", "origins: []\n", "o.yaml:1:1: error E104: origins is a map, must be a list"},
		{"an unknown key", "o.yaml", "- { adress: \"10.0.0.1:80\" }\n", "o.yaml:1:5: error E102: unknown key \"adress\" in origins[0]"},
		{"no address in YAML", "o.yaml", "- 10.0.0.1:80\n- { name: a }\n", "o.yaml:2:3: error E106: origins[1] has no address"},
		{"out of range", "o.yaml", "- { address: \"10.0.0.1:80\", capacity: 0 }\n", "o.yaml:1:39: error E110"},
		{"an address twice", "o.txt", "10.0.0.1:80\n10.0.0.1:80\n", "o.txt:2:1: error E206: the address 10.0.0.1:80 is there twice, first in line 1"},
		{"a name twice", "o.yaml", "- { name: a, address: \"10.0.0.1:80\" }\n- { name: a, address: \"10.0.0.2:80\" }\n", "o.yaml:2:3: error E206: the name a is there twice"},
		{"too many", "o.txt", manyAddresses(801), "error E109: more than 800 origins"},
		{"what is a secret here", "o.yaml", "- ${env:WEIRKEEP_TEST}\n", "error E"},
		{"a secret file", "o.yaml", "- ${file:/etc/hostname}\n", "not from here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tt.file)
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			found, problems := LoadOrigins(path)
			got := problems.Error()
			if len(problems) == 0 {
				got = foundText(found)
			}
			if len(problems) == 0 && got != tt.want || !strings.Contains(got, tt.want) || strings.Contains(got, "hush") {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestFileOfOriginsThatIsNotThere(t *testing.T) {
	if _, problems := LoadOrigins(filepath.Join(t.TempDir(), "o.txt")); !strings.Contains(problems.Error(), "cannot read") || problems.Errors() != 1 {
		t.Errorf("%v", problems)
	}
}

func manyAddresses(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "10.0.%d.%d:80\n", i/250, i%250)
	}
	return b.String()
}

func foundText(all []Origin) string {
	var list []string
	for _, o := range all {
		text := strings.TrimSpace(o.Name + " " + o.HostPort)
		if o.Scheme != "" {
			text += " " + o.Scheme
		}
		if o.Capacity.Most != 0 {
			text += fmt.Sprint(" ", o.Capacity)
		}
		if o.State != "" {
			text += " " + o.State
		}
		if o.Host != "" {
			text += " on " + o.Host
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// FuzzOrigins: any file is refused with a problem that has a place, or gives origins
// that are all different and whose addresses can be written down and read again.
func FuzzOrigins(f *testing.F) {
	for _, text := range []string{"10.0.0.1:80\n# x\n", "- 10.0.0.1:80\n", "[{\"address\": \"[::1]:80\"}]", "- { name: a, address: \"a:1\", ids: [b] }", "[]", "- *a\n- &a b:1"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string, list bool) {
		path := filepath.Join(dir, "o.txt")
		if list {
			path = filepath.Join(dir, "o.yaml")
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		found, problems := LoadOrigins(path)
		for _, p := range problems {
			if p.File == "" && p.Code != "E109" && !strings.Contains(p.Message, "cannot read") {
				t.Fatalf("no place: %+v", p)
			}
		}
		seen := map[string]bool{}
		for _, o := range found {
			_, again, reason := splitOrigin(o.HostPort)
			if reason != "" || again != o.HostPort || seen[o.HostPort] {
				t.Fatalf("%q of %+v", again, found)
			}
			seen[o.HostPort] = true
		}
	})
}
