package esi_test

import (
	"context"
	"fmt"
	"os"

	"weirkeep/gateway/esi"
)

// origin has one fragment in memory, and another that has to be fetched.
type origin struct{}

func (origin) Ready(i *esi.Include) (esi.Fragment, bool) {
	if i.URL.Target == "/nav" {
		return esi.Fragment{Status: 200, Whole: []byte("<nav>home</nav>")}, true
	}
	return esi.Fragment{}, false
}

func (origin) Fetch(_ context.Context, i *esi.Include) esi.Fragment {
	if i.URL.Target == "/price?of=tea" {
		return esi.Fragment{Status: 200, Whole: []byte("2.50")}
	}
	return esi.Fragment{Status: 404}
}

// client is who the page is for.
type client struct{}

func (client) Write(p []byte) error { _, err := os.Stdout.Write(p); return err }
func (client) Flush() error         { return nil }
func (client) Gone() bool           { return false }

func Example() {
	const template = `<esi:include src="nav"/>
<p>Tea: <esi:include src="/price?of=$(QUERY_STRING{of})"/></p>
<esi:include src="/news" onerror="continue"/><esi:remove>No surrogate.</esi:remove>`

	program, problems, err := esi.Parse([]byte(template), esi.Limits{})
	if err != nil || problems.Total() > 0 {
		fmt.Println(problems.List, err)
	}
	options := esi.Default()
	page := esi.Page{
		Template: program,
		URL:      esi.URL{Authority: "shop.example", Target: "/index?of=tea"},
		Client:   &esi.Client{Host: []byte("shop.example"), Query: []byte("of=tea")},
		Options:  &options,
	}
	report, err := esi.Assemble(context.Background(), &page, origin{}, client{})
	fmt.Println(report.Includes, report.Fetches, report.Failures[esi.ClientStatus], err)
	// Output:
	// <nav>home</nav>
	// <p>Tea: 2.50</p>
	// 3 2 1 <nil>
}
