package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// onTerminal is the program terminal TEXT COMMAND…: it runs a command on a
// terminal, types ^C when the text has appeared there, and prints what did.
func onTerminal() {
	master, slave, err := openTerminal()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c := exec.Command(os.Args[2], os.Args[3:]...)
	c.Stdin, c.Stdout, c.Stderr = slave, slave, slave
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	slave.Close()
	os.Stdout.WriteString(strings.ReplaceAll(converse(master, os.Args[1]), "\r\n", "\n"))
	c.Wait()
	os.Exit(c.ProcessState.ExitCode())
}

// converse reads to the end, and types ^C behind the text.
func converse(master io.ReadWriter, text string) string {
	var seen bytes.Buffer
	typed := false
	for part := make([]byte, 4096); ; {
		n, err := master.Read(part)
		seen.Write(part[:n])
		if !typed && bytes.Contains(seen.Bytes(), []byte(text)) {
			master.Write([]byte{3})
			typed = true
		}
		if err != nil { // EIO: nobody has the other end open
			return seen.String()
		}
	}
}

func openTerminal() (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	return master, slave, err
}
