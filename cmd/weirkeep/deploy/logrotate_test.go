package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Rotation moves the log away, lets the gateway make the new one, and tells it.
func TestLogRotation(t *testing.T) {
	text := read(t, "weirkeep.logrotate")
	for _, want := range []string{"/var/log/weirkeep/*.log {", "\tnocreate\n", "\tdelaycompress\n", "--kill-whom=main --signal=SIGUSR1 weirkeep.service"} {
		if !strings.Contains(text, want) {
			t.Errorf("the file does not say %q", want)
		}
	}
}

// Where logrotate is installed it does that.
func TestLogrotateDoesIt(t *testing.T) {
	logrotate, err := exec.LookPath("logrotate")
	if err != nil {
		logrotate, err = exec.LookPath("/usr/sbin/logrotate")
	}
	if err != nil {
		t.Skip("logrotate is not installed here: its file was only read, by the other test")
	}
	dir := t.TempDir()
	log, told := filepath.Join(dir, "access.log"), filepath.Join(dir, "told")
	writeFile(t, log, "a line\n", 0o640)
	fake(t, dir, "systemctl", "", told)
	writeFile(t, filepath.Join(dir, "config"), strings.ReplaceAll(read(t, "weirkeep.logrotate"), "/var/log/weirkeep", dir), 0o644)
	c := exec.Command(logrotate, "--force", "--state", filepath.Join(dir, "state"), filepath.Join(dir, "config"))
	c.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "fakes")+":"+os.Getenv("PATH"))
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", c, err, said)
	}
	if got := read(t, log+".1"); got != "a line\n" {
		t.Errorf("the old file holds %q", got)
	}
	if _, err := os.Stat(log); !os.IsNotExist(err) {
		t.Errorf("the new file: %v; want none, it is the gateway's to make", err)
	}
	if got, want := read(t, told), "systemctl kill --kill-whom=main --signal=SIGUSR1 weirkeep.service\n"; got != want {
		t.Errorf("it ran %q, want %q", got, want)
	}
}

// fake puts a program into a folder that notes how it was called, then runs a
// script.
func fake(t *testing.T, dir, name, script, told string) {
	t.Helper()
	writeFile(t, filepath.Join(dir, "fakes", name), "#!/bin/sh\necho \""+name+" $*\" >>"+told+"\n"+script, 0o755)
}
