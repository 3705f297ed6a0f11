package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a script waits for something to become true.
const patience = 10 * time.Second

// TestMain lets scripts run this very program, and small ones beside it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"weirkeep": weirkeep,
		"httpget":  httpget,
		"httppost": httppost,
		"origin":   origin,
		"terminal": onTerminal,
	})
}

// weirkeep runs the program. What it says goes to the file LOG too, so that a
// script can read it before the end, and the exit status to the file STATUS.
func weirkeep() {
	status := run(os.Args[1:], os.Stdin, os.Stdout, logged(os.Stderr))
	if file := os.Getenv("STATUS"); file != "" {
		os.WriteFile(file, []byte(strconv.Itoa(status)+"\n"), 0o600)
	}
	os.Exit(status)
}

func logged(stderr *os.File) io.Writer {
	if terminal(stderr) {
		return stderr
	}
	f, err := os.OpenFile(os.Getenv("LOG"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return stderr
	}
	return io.MultiWriter(stderr, f)
}

// httpget URL [once] prints status, header fields and body of an answer. Unless
// it is to ask only once, it asks again until somebody answers.
func httpget() {
	ask := func() error { return get(os.Args[1]) }
	if len(os.Args) == 2 {
		ask = func() error { return eventually(func() error { return get(os.Args[1]) }) }
	}
	if err := ask(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func get(url string) error {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	answer, err := client.Get(url)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	fmt.Println(answer.Status)
	answer.Header.Write(os.Stdout)
	os.Stdout.Write(body)
	return nil
}

// httppost URL FILE USER TOKENFILE sends a file, with a token as the password of a user,
// and prints status and body of the answer.
func httppost() {
	if err := post(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func post(url, file, user, tokenFile string) error {
	text, err := os.ReadFile(file)
	token, tokenErr := os.ReadFile(tokenFile)
	if err := errors.Join(err, tokenErr); err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.SetBasicAuth(user, strings.TrimSpace(string(token)))
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	fmt.Println(answer.Status)
	_, err = io.Copy(os.Stdout, answer.Body)
	return err
}

// origin ADDRESS NAME [FILE] answers every request with its name. With FILE it
// makes that file when a request has come, and answers when it is gone; /up it
// answers at once. While there is a file NAME.edition it tells what that holds.
// It ends with SIGINT, as testscript wants, even where a shell that started the
// tests in the background has them ignore that signal.
func origin() {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	go func() { <-interrupted; os.Exit(1) }()
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if len(os.Args) > 3 && r.URL.Path != "/up" {
			os.WriteFile(os.Args[3], nil, 0o600)
			eventually(func() error { return gone(os.Args[3]) })
		}
		if label, err := os.ReadFile(os.Args[2] + ".edition"); err == nil {
			w.Header().Set("X-Edition", strings.TrimSpace(string(label)))
		}
		fmt.Fprintln(w, "origin", os.Args[2])
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe(os.Args[1], nil))
	os.Exit(1)
}

func gone(file string) error {
	if _, err := os.Stat(file); err == nil {
		return errors.New(file + " is still there")
	}
	return nil
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"await":  await,
			"ends":   ends,
			"ports":  ports,
			"signal": sendSignal,
		},
	})
}

// setup keeps a script away from everything outside its directory.
func setup(env *testscript.Env) error {
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("XDG_STATE_HOME", env.WorkDir+"/state")
	env.Setenv("STATE_DIRECTORY", env.WorkDir+"/state/weirkeep") // also as root
	env.Setenv("LOG", env.WorkDir+"/log")
	env.Setenv("STATUS", env.WorkDir+"/status")
	env.Setenv("GORACE", os.Getenv("GORACE"))
	guests, err := filepath.Abs("testdata/guests")
	env.Setenv("GUESTS", guests)
	return err
}

// ports NAME… puts an address that nobody listens on into each variable, and
// its port into NAME_PORT.
func ports(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		defer l.Close()
		ts.Setenv(name, l.Addr().String())
		_, port, err := net.SplitHostPort(l.Addr().String())
		ts.Check(err)
		ts.Setenv(name+"_PORT", port)
	}
}

// ends STATUS COMMAND… runs a command that ends with the exit status.
func ends(ts *testscript.TestScript, _ bool, args []string) {
	status, got := args[0], 0
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != status {
		ts.Fatalf("%s ended with %d, want %s", strings.Join(args[1:], " "), got, status)
	}
}

// await PATTERN FILE waits until the file holds the pattern, and [!] until it
// does not.
func await(ts *testscript.TestScript, neg bool, args []string) {
	pattern := regexp.MustCompile("(?m)" + args[0])
	ts.Check(eventually(func() error {
		text, err := os.ReadFile(ts.MkAbs(args[1]))
		if found := err == nil && pattern.Match(text); found == neg {
			return fmt.Errorf("%s: %q is there: %v; it holds:\n%s", args[1], args[0], found, text)
		}
		return nil
	}))
}

// sendSignal NAME sends a signal to every weirkeep that runs in the background.
func sendSignal(ts *testscript.TestScript, _ bool, args []string) {
	signals := map[string]os.Signal{"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL, "TERM": syscall.SIGTERM}
	for _, c := range ts.BackgroundCmds() {
		if strings.HasSuffix(c.Path, "/weirkeep") {
			ts.Check(c.Process.Signal(signals[args[0]]))
		}
	}
}

// eventually repeats what fails until patience is at its end.
func eventually(try func() error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		err := try()
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}
