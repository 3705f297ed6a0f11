package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"weirkeep/rules"
)

// printFunctions and its like print what conditions of a scope are written with, a line
// for each.
func printFunctions(out io.Writer, in rules.Scope) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range rules.Functions(in) {
		fmt.Fprintf(t, "%s\tcost %d\t%s\n", f.Signature, f.Cost, f.About+only(f.Scope))
	}
	return t.Flush()
}

// only is where a name can stand that cannot stand everywhere.
func only(s rules.Scope) string {
	if s == rules.OfRequest {
		return ""
	}
	return "; only in " + s.Places()
}

func printVariables(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, v := range allVariables() {
		fmt.Fprintf(t, "%s\t%s\t%s\n", v.Name, v.Type, v.About+only(v.Scope))
	}
	return t.Flush()
}

// allVariables are those of every scope, each once.
func allVariables() []rules.Variable {
	all := rules.Variables(rules.OfRetry)
	for _, v := range rules.Variables(rules.OfStored) {
		if v.Scope == rules.OfStored {
			all = append(all, v)
		}
	}
	return all
}

func printOperators(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, o := range rules.Operators() {
		fmt.Fprintf(t, "%s\t%s\t%s\n", o.Name, o.Example, o.About)
	}
	return t.Flush()
}

// languageNames are the names of functions and variables.
func languageNames() (names []string) {
	for _, f := range rules.Functions(rules.OfRetry) {
		names = append(names, f.Name)
	}
	for _, v := range allVariables() {
		names = append(names, v.Name)
	}
	return names
}

// aboutName is what a function, a variable or an operator is; empty: there is none of the
// name.
func aboutName(name string) string {
	for _, f := range rules.Functions(rules.OfRetry) {
		if f.Name == strings.TrimSuffix(name, "()") {
			return fmt.Sprintf("%s: %s; cost %d\n  %s", f.Signature, f.About+only(f.Scope), f.Cost, f.Example)
		}
	}
	for _, v := range allVariables() {
		if v.Name == name {
			return fmt.Sprintf("%s %s: %s", v.Name, v.Type, v.About+only(v.Scope))
		}
	}
	for _, o := range rules.Operators() {
		if o.Name == name {
			return fmt.Sprintf("%s: %s\n  %s", o.Name, o.About, o.Example)
		}
	}
	return ""
}
