package disk

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// holdFolder is a child that opens a folder and keeps it until its input ends.
func holdFolder(dir string) {
	s, err := Open(dir, options())
	if err != nil {
		fail(err)
	}
	say("it is mine")
	os.Stdin.Read(make([]byte, 1))
	s.Close()
}

func TestOneProcessHasAFolder(t *testing.T) {
	dir := folder(t)
	c := start(t, "hold "+dir, nil)
	if c.line() != "it is mine" {
		t.Fatal("the child has no folder")
	}
	_, err := Open(dir, options())
	expectError(t, err, ErrInUse)
	want := fmt.Sprintf("cache folder %s: use it: in use by another process (%d); stop that one, or name another folder: each process needs one of its own", dir, c.cmd.Process.Pid)
	if err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	c.kill()
	open(t, dir, options())
	_, err = Open(dir, options())
	expectError(t, err, ErrInUse)
	if !strings.Contains(err.Error(), "this one ("+strconv.Itoa(os.Getpid())+")") {
		t.Errorf("error %q does not say that it is this process", err)
	}
}

func TestTheHolderMayBeUnknown(t *testing.T) {
	dir := folder(t)
	open(t, dir, options())
	if err := os.WriteFile(dir+"/"+lockName, []byte("who knows"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(dir, options())
	var e *Error
	if !errors.As(err, &e) || e.Err != ErrInUse {
		t.Errorf("error %v, want ErrInUse", err)
	}
}
