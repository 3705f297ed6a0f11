package deploy

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"weirkeep/gateway/config"
)

var deb = flag.String("deb", "", "the Debian package to test, which make deb-check builds")

// installed is the package, unpacked as if below the root of a machine.
type installed struct {
	t       *testing.T
	root    string
	control string // the folder of its scripts
	told    string // how programs of the machine were called
}

func unpack(t *testing.T) *installed {
	t.Helper()
	if *deb == "" {
		t.Skip("there is no package: make deb-check builds it, then tests it")
	}
	dir := t.TempDir()
	p := &installed{t, filepath.Join(dir, "root"), filepath.Join(dir, "control"), filepath.Join(dir, "told")}
	p.run("dpkg-deb", "-x", *deb, p.root)
	p.run("dpkg-deb", "-e", *deb, p.control)
	return p
}

func (p *installed) run(name string, args ...string) string {
	p.t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (p *installed) weirkeep(args ...string) string {
	p.t.Helper()
	return p.run(filepath.Join(p.root, "usr/bin/weirkeep"), args...)
}

func TestPackageHoldsWhatItPromises(t *testing.T) {
	p := unpack(t)
	for name, mode := range map[string]os.FileMode{
		"usr/bin/weirkeep":                                  0o755,
		"etc/weirkeep/weirkeep.yaml":                        0o644,
		"etc/logrotate.d/weirkeep":                          0o644,
		"usr/lib/systemd/system/weirkeep.service":           0o644,
		"usr/lib/systemd/system/weirkeep.socket":            0o644,
		"usr/share/doc/weirkeep/README.md":                  0o644,
		"usr/share/doc/weirkeep/RULES.md":                   0o644,
		"usr/share/doc/weirkeep/copyright":                  0o644,
		"usr/share/bash-completion/completions/weirkeep":    0o644,
		"usr/share/zsh/vendor-completions/_weirkeep":        0o644,
		"usr/share/fish/vendor_completions.d/weirkeep.fish": 0o644,
	} {
		info, err := os.Stat(filepath.Join(p.root, name))
		if err != nil || info.Mode() != mode || info.Size() == 0 {
			t.Errorf("%s: %v, %v; want mode %v", name, info, err, mode)
		}
	}
	if got, want := read(t, filepath.Join(p.control, "conffiles")), "/etc/weirkeep/weirkeep.yaml\n"; !strings.Contains(got, want) {
		t.Errorf("the files that upgrades leave alone are %q, want %q among them", got, want)
	}
	version := strings.Fields(p.weirkeep("version"))[1]
	if control := read(t, filepath.Join(p.control, "control")); !strings.Contains(control, "\nVersion: "+version+"\n") {
		t.Errorf("the program is of version %s, the package says\n%s", version, control)
	}
}

// The program runs from where it was unpacked, with the configuration that it
// came with, and serves.
func TestPackagedProgram(t *testing.T) {
	p := unpack(t)
	shipped := filepath.Join(p.root, "etc/weirkeep/weirkeep.yaml")
	p.weirkeep("check", "-c", shipped)
	if text, want := read(t, shipped), string(config.Sample("127.0.0.1:9001")); text != want {
		t.Errorf("the configuration is\n%s\nwant that of weirkeep init --origin 127.0.0.1:9001", text)
	}
	own, free := filepath.Join(p.root, "weirkeep.yaml"), freeAddresses(t, 2)
	writeFile(t, own, fmt.Sprintf("node: { state_dir: state }\nlisteners: [{ address: %q }]\nadmin: { address: %q }\ndrain: { delay: 0s, timeout: 1s }\n"+
		"clusters: { app: { origins: [{ address: \"127.0.0.1:1\" }] } }\n", free[0], free[1]), 0o600)
	serve := exec.Command(filepath.Join(p.root, "usr/bin/weirkeep"), "serve", "-c", own)
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	defer serve.Process.Kill()
	p.awaitHealth(own)
	serve.Process.Signal(syscall.SIGTERM)
	if err := serve.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func (p *installed) awaitHealth(config string) {
	p.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); ; <-tick.C {
		out, err := exec.Command(filepath.Join(p.root, "usr/bin/weirkeep"), "health", "-c", config).CombinedOutput()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("it does not become ready: %v\n%s", err, out)
		}
	}
}

// freeAddresses are addresses that nobody listens on. They are held until the last
// is found, so that no two are the same.
func freeAddresses(t *testing.T, n int) (addresses []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		addresses = append(addresses, l.Addr().String())
	}
	return addresses
}

// The scripts start nothing that is new, but say how; they check the configuration
// before what runs leaves its place to the new program, and touch nothing when
// something is wrong.
func TestPackageScripts(t *testing.T) {
	const (
		start   = "deb-systemd-invoke start weirkeep.service"
		enable  = "deb-systemd-helper enable weirkeep.service"
		upgrade = "systemctl kill --kill-whom=main --signal=SIGUSR2 weirkeep.service"
		stop    = "systemctl stop weirkeep.socket weirkeep.service"
	)
	for _, tt := range []struct {
		name   string
		script []string
		booted bool // by systemd
		active bool // the service runs
		broken bool // the configuration has a mistake
		does   []string
		says   string // in a line that ends so; empty: nothing
	}{
		{name: "installed", script: []string{"postinst", "configure", ""}, booted: true, says: ", then: systemctl enable --now weirkeep"},
		{name: "installed without systemd", script: []string{"postinst", "configure", ""}, says: ", then: systemctl enable --now weirkeep"},
		{name: "installed where a broken configuration lay", script: []string{"postinst", "configure", ""}, booted: true, broken: true, says: ", then: systemctl enable --now weirkeep"},
		{name: "upgraded while it runs", script: []string{"postinst", "configure", "0.0.9"}, booted: true, active: true, does: []string{enable, upgrade}},
		{name: "upgraded while it does not run", script: []string{"postinst", "configure", "0.0.9"}, booted: true, does: []string{enable}},
		{name: "upgraded while it runs, broken", script: []string{"postinst", "configure", "0.0.9"}, booted: true, active: true, broken: true, does: []string{enable}, says: "so nothing was started; a gateway that runs goes on as it was."},
		{name: "an upgrade that is undone", script: []string{"postinst", "abort-upgrade", "0.0.9"}, booted: true, active: true},
		{name: "before an upgrade", script: []string{"prerm", "upgrade", "0.2.0"}, booted: true, active: true},
		{name: "before it is removed", script: []string{"prerm", "remove"}, booted: true, active: true, does: []string{stop}},
		{name: "before it is removed without systemd", script: []string{"prerm", "remove"}},
		{name: "after it was removed", script: []string{"postrm", "remove"}, booted: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := unpack(t)
			if tt.broken {
				writeFile(t, filepath.Join(p.root, "etc/weirkeep/weirkeep.yaml"), "listners: []\n", 0o644)
			}
			said := p.script(tt.booted, tt.active, tt.script...)
			if !strings.Contains(said, tt.says+"\n") && tt.says != "" || tt.says == "" && said != "" {
				t.Errorf("it says %q, want %q", said, tt.says)
			}
			for _, command := range []string{start, enable, upgrade, stop} {
				if did := slices.Contains(p.calls(), command); did != slices.Contains(tt.does, command) {
					t.Errorf("%s: done is %v, want %v", command, did, !did)
				}
			}
		})
	}
}

// script runs a script of the package with the programs of a machine faked.
func (p *installed) script(booted, active bool, args ...string) (said string) {
	p.t.Helper()
	if booted {
		if err := os.MkdirAll(filepath.Join(p.root, "run/systemd/system"), 0o755); err != nil {
			p.t.Fatal(err)
		}
	}
	isActive := "[ \"$2\" != is-active ] || exit 3\n"
	if active {
		isActive = ""
	}
	dir := filepath.Dir(p.control)
	fake(p.t, dir, "systemctl", isActive, p.told)
	fake(p.t, dir, "deb-systemd-helper", "", p.told)
	fake(p.t, dir, "deb-systemd-invoke", "", p.told)
	c := exec.Command(filepath.Join(p.control, args[0]), args[1:]...)
	c.Env = append(os.Environ(), "DPKG_ROOT="+p.root, "PATH="+filepath.Join(dir, "fakes")+":"+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	if err != nil {
		p.t.Errorf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (p *installed) calls() []string {
	text, _ := os.ReadFile(p.told) // nothing was called, perhaps
	return strings.Split(string(text), "\n")
}

// A purge takes what the gateway has kept, and leaves what is the operator's.
func TestPackagePurge(t *testing.T) {
	p := unpack(t)
	gone := []string{"var/lib/weirkeep/token", "var/cache/weirkeep/c", "var/log/weirkeep/access.log", "var/lib/private/weirkeep/token"}
	stays := []string{"etc/weirkeep/tls/site.key", "var/lib/other/file"}
	for _, name := range append(slices.Clone(gone), stays...) {
		writeFile(t, filepath.Join(p.root, name), "here", 0o600)
	}
	p.script(false, false, "postrm", "purge")
	for _, name := range gone {
		if _, err := os.Stat(filepath.Join(p.root, name)); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	for _, name := range stays {
		if _, err := os.Stat(filepath.Join(p.root, name)); err != nil {
			t.Error(err)
		}
	}
}
