// Package deploy holds what is needed to run weirkeep as a service: the units of
// systemd, the container file, and the Debian package with its scripts. Its tests
// hold these to what they promise.
package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/config"
)

// unit is a file of systemd: values by section and key, in their order.
type unit map[string][]string

func readUnit(t *testing.T, name string) unit {
	t.Helper()
	u, section := make(unit), ""
	for line := range strings.Lines(read(t, name)) {
		line = strings.TrimSpace(line)
		key, value, isSetting := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]") + "."
		case isSetting:
			u[section+key] = append(u[section+key], value)
		default:
			t.Errorf("%s: %q is neither a section nor a setting", name, line)
		}
	}
	return u
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestServiceUnit(t *testing.T) {
	u := readUnit(t, "weirkeep.service")
	for key, want := range map[string]string{
		"Type":                     "notify notify-reload", // the last one that is known holds
		"ReloadSignal":             "SIGHUP",
		"NotifyAccess":             "all", // a successor speaks before it is the main process
		"ExecStartPre":             "/usr/bin/weirkeep check -q -c /etc/weirkeep/weirkeep.yaml",
		"ExecStart":                "/usr/bin/weirkeep serve -c /etc/weirkeep/weirkeep.yaml",
		"Restart":                  "on-failure",
		"RestartPreventExitStatus": "2 3",
		"KillMode":                 "mixed",
		"DynamicUser":              "yes",
		"ConfigurationDirectory":   "weirkeep",
		"StateDirectory":           "weirkeep",
		"CacheDirectory":           "weirkeep",
		"RuntimeDirectory":         "weirkeep",
		"LogsDirectory":            "weirkeep",
		"LimitNOFILE":              "1048576",
		"AmbientCapabilities":      "CAP_NET_BIND_SERVICE",
		"CapabilityBoundingSet":    "CAP_NET_BIND_SERVICE",
		"NoNewPrivileges":          "yes",
		"ProtectSystem":            "strict",
		"ProtectHome":              "yes",
		"PrivateDevices":           "yes",
		"RestrictNamespaces":       "yes",
		"SystemCallFilter":         "@system-service",
		"MemoryDenyWriteExecute":   "", // plugins are compiled
		"ProcSubset":               "", // net.core.somaxconn must be seen
	} {
		if got := strings.Join(u["Service."+key], " "); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if got := u["Install.WantedBy"]; !slices.Equal(got, []string{"multi-user.target"}) {
		t.Errorf("wanted by %v", got)
	}
	for _, why := range []string{"# MemoryDenyWriteExecute is not set: ", "# ProcSubset=pid is not set: "} {
		if !strings.Contains(read(t, "weirkeep.service"), why) {
			t.Errorf("the unit does not say why: %s", why)
		}
	}
}

// systemd waits longer for the end than a drain takes.
func TestStopTakesLongerThanADrain(t *testing.T) {
	cfg, problems := config.Parse("sample", config.Sample(""))
	if problems.Errors() > 0 {
		t.Fatal(problems)
	}
	stop, err := time.ParseDuration(readUnit(t, "weirkeep.service")["Service.TimeoutStopSec"][0])
	if err != nil {
		t.Fatal(err)
	}
	if drain := time.Duration(cfg.Drain.Delay) + time.Duration(cfg.Drain.Timeout); stop < drain+5*time.Second {
		t.Errorf("TimeoutStopSec is %s, want 5s more than the %s of drain.delay and drain.timeout", stop, drain)
	}
}

func TestSocketUnit(t *testing.T) {
	u := readUnit(t, "weirkeep.socket")
	for key, want := range map[string]string{
		"Socket.ListenStream":       "80 443",
		"Socket.BindIPv6Only":       "both",
		"Install.WantedBy":          "sockets.target",
		"Socket.Accept":             "", // the gateway accepts, not systemd
		"Socket.FileDescriptorName": "weirkeep",
	} {
		if got := strings.Join(u[key], " "); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

// unknownBefore253 is what systemd says of a unit when it does not know
// notify-reload yet.
var unknownBefore253 = []string{
	"Failed to parse service type, ignoring: notify-reload",
	"Unknown key 'ReloadSignal' in section [Service], ignoring.",
	"Unknown key name 'ReloadSignal' in section 'Service', ignoring.",
}

// Where systemd is installed it has nothing to say against the units.
func TestSystemdTakesTheUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd is not installed here: the units were only read, by the other tests")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "weirkeep") // it must be there
	writeFile(t, program, "#!/bin/sh\n", 0o755)
	for _, name := range []string{"weirkeep.service", "weirkeep.socket"} {
		text := strings.ReplaceAll(read(t, name), "/usr/bin/weirkeep", program)
		writeFile(t, filepath.Join(dir, name), text, 0o644)
	}
	c := exec.Command(analyze, "verify", "--man=no", filepath.Join(dir, "weirkeep.service"), filepath.Join(dir, "weirkeep.socket"))
	said, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v", c, err)
	}
	for line := range strings.Lines(string(said)) {
		ours := strings.Contains(line, dir+"/weirkeep.")
		known := slices.ContainsFunc(unknownBefore253, func(s string) bool { return strings.Contains(line, s) })
		if ours && !known {
			t.Errorf("systemd says %s", line)
		}
	}
}

func writeFile(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
