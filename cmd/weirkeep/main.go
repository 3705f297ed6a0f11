// Command weirkeep is the gateway and the tool that its operators use.
//
// A command is one file and one line of the table in root.go. What a command
// found out goes to standard output, in a form that -o chooses; what it has to
// say besides goes to standard error. How it ended is its exit status: the
// list is in failure.go and does not change.
//
// Nothing of what the gateway does is decided here: serve reads a
// configuration, hands it to [weirkeep/gateway], and hands over the next one
// when the files change, when SIGHUP arrives or when the admin API asks.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
