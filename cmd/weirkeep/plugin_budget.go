package main

import (
	"fmt"

	"weirkeep/plugins"
)

// callBudget is how long a call may take from end to end, in ns.
type callBudget struct {
	plain, goGuest int
}

// callBudgets are the budgets of the kinds that requests wait for; a collector, which
// none waits for, has no budget. They are those of the benchmarks of package plugins: a
// plugin that keeps them costs a request less than what the gateway itself does.
var callBudgets = map[plugins.Kind]callBudget{
	plugins.Router:  {350, 750},
	plugins.Matcher: {350, 750},
	plugins.Filter:  {5000, 5000},
}

// judge holds the time of a call against the budget of the plugin's kind.
func (b *benchResult) judge(i plugins.Info) {
	budget := callBudgets[i.Kind]
	if b.BudgetNS = budget.plain; i.GoGuest {
		b.BudgetNS = budget.goGuest
	}
	switch {
	case b.BudgetNS == 0:
	case b.NS > float64(b.BudgetNS):
		b.Budget = "over"
	default:
		b.Budget = "ok"
	}
}

// budget is the column.
func (b *benchResult) budget() string {
	if b.BudgetNS == 0 {
		return "-"
	}
	return fmt.Sprintf("%d %s", b.BudgetNS, b.Budget)
}
