package admin

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Question is a request to be explained.
type Question struct {
	Head     string            `json:"head" doc:"The request's head as it would arrive: request line, fields, blank line, with CRLF; each character stands for the byte of its number." example:"GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n" maxLength:"1048576"`
	Secure   bool              `json:"secure,omitempty" doc:"It comes by TLS."`
	Fragment bool              `json:"fragment,omitempty" doc:"A page includes it, and no client asks for it: it may be of an esi-provider."`
	From     string            `json:"from,omitempty" doc:"Address that it comes from, with or without a port; default 127.0.0.1."`
	Answer   string            `json:"answer,omitempty" maxLength:"1048576" doc:"Head of an answer, like head, of which it is to be said whether the site's cache would store it."`
	Down     []string          `json:"down,omitempty" doc:"Origins that are assumed to be down."`
	States   map[string]string `json:"states,omitempty" doc:"What origins are assumed to be: up, down, serving, draining, maintenance, disabled or full."`
}

// registerRules adds what tells of rules and decisions.
func (a *api) registerRules(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "rules", Method: http.MethodGet, Path: "/v1/rules",
		Summary: "Every rule, in the order in which they are tried",
	}, a.rules)
	huma.Register(h, huma.Operation{
		OperationID: "plugins", Method: http.MethodGet, Path: "/v1/plugins",
		Summary: "Every plugin, where it is attached, and what it has done",
	}, a.plugins)
	huma.Register(h, huma.Operation{
		OperationID: "explain", Method: http.MethodPost, Path: "/v1/explain",
		Summary:     "What happens to a request, and why",
		Description: "Nothing is sent, bound or counted, but for the calls of plugins that are asked, matchers and routers. The form of the answer is that of weirkeep explain -o json.",
		Errors:      []int{http.StatusUnprocessableEntity},
	}, a.explain)
}

// ruleList is the body of GET /v1/rules.
type ruleList struct {
	Rules any `json:"rules"`
}

func (a *api) rules(context.Context, *struct{}) (*tagged[ruleList], error) {
	return &tagged[ruleList]{tag(a.gateway.Status().Revision), ruleList{a.gateway.Rules()}}, nil
}

// pluginList is the body of GET /v1/plugins.
type pluginList struct {
	Plugins any `json:"plugins"`
}

func (a *api) plugins(context.Context, *struct{}) (*tagged[pluginList], error) {
	return &tagged[pluginList]{tag(a.gateway.Status().Revision), pluginList{a.gateway.Plugins()}}, nil
}

// explainRequest is a question.
type explainRequest struct {
	Body Question
}

func (a *api) explain(_ context.Context, r *explainRequest) (*tagged[any], error) {
	e, err := a.gateway.Explain(r.Body)
	if err != nil {
		return nil, huma.NewError(http.StatusUnprocessableEntity, err.Error())
	}
	return &tagged[any]{tag(a.gateway.Status().Revision), e}, nil
}
