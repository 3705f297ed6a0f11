package main

import (
	"fmt"
	"slices"
	"time"

	"weirkeep/gateway/admin"
)

// stateText is an origin's state in the table: marked if an operator has set one, or,
// for who wants to know all, with whose word it is.
func (a *app) stateText(o admin.OriginStatus, now time.Time) string {
	switch {
	case !a.verbose && o.StateSet != nil:
		return o.State + "*"
	case !a.verbose || o.StateSet == nil && o.StateBy == byConfiguration:
		return o.State
	case o.StateSet == nil:
		return fmt.Sprintf("%s (%s)", o.State, wordsOf[o.StateBy])
	case o.StateBy == byOperator:
		return fmt.Sprintf("%s (set by operator %s ago, %s)", o.State, age(o.StateSet.At, now), printable(o.StateSet.By))
	}
	return fmt.Sprintf("%s (%s; %s set by operator %s ago, %s)", o.State, wordsOf[o.StateBy],
		o.StateSet.State, age(o.StateSet.At, now), printable(o.StateSet.By))
}

// weightMark is an origin's weight in the table, marked as its state is.
func (a *app) weightMark(o admin.OriginStatus, now time.Time) string {
	switch text := numberText(o.Weight); {
	case o.WeightSet == nil || o.Weight == nil:
		return text
	case !a.verbose:
		return text + "*"
	default:
		return fmt.Sprintf("%s (set by operator %s ago, %s)", text, age(o.WeightSet.At, now), printable(o.WeightSet.By))
	}
}

// sayMarked says what the mark in the table means, if it is there.
func (a *app) sayMarked(all []admin.OriginStatus) error {
	if !slices.ContainsFunc(all, func(o admin.OriginStatus) bool { return o.StateSet != nil || o.WeightSet != nil && o.Weight != nil }) {
		return nil
	}
	return a.sayResult("* set by an operator: -v says when and by whom; weirkeep origin enable takes a state back, weight --default a weight")
}

// Whose word a state can be, besides a roll-out's and WebLogic's.
const (
	byConfiguration = "configuration"
	byOperator      = "operator"
)

// wordsOf are those whose word an origin's state can be, for people.
var wordsOf = map[string]string{
	byConfiguration: "the configuration",
	byOperator:      "an operator",
	"rollout":       "a roll-out",
	"servers":       "WebLogic lists it no more",
	"discovery":     "it is found no more",
}
