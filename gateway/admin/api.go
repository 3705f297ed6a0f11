package admin

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"weirkeep/gateway/metrics"
)

// api answers the operations of the document.
type api struct {
	gateway  Gateway
	steward  Rollouts
	operator Operator
	reports  Reports
	cache    Cache
	metrics  *metrics.Registry
	log      *slog.Logger
	version  string
}

// register adds every operation there is.
func (a *api) register(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "overview", Method: http.MethodGet, Path: "/v1/overview",
		Summary: "How the gateway is",
	}, a.overview)
	huma.Register(h, huma.Operation{
		OperationID: "origins", Method: http.MethodGet, Path: "/v1/origins",
		Summary: "Every origin of every cluster",
	}, a.origins)
	a.registerRules(h)
	a.registerRollouts(h)
	a.registerReports(h)
	a.registerOperate(h)
	a.registerCache(h)
	huma.Register(h, huma.Operation{
		OperationID: "reload", Method: http.MethodPost, Path: "/v1/config:reload",
		Summary:     "Read the configuration again and make it current",
		Description: "A configuration with an error changes nothing; the answer lists every mistake.",
		Errors:      []int{http.StatusPreconditionFailed, http.StatusUnprocessableEntity},
	}, a.reload)
}

// overview is the body of GET /v1/overview.
type overview struct {
	Version string `json:"version" doc:"Of weirkeep."`
	Status
	Origins originCounts `json:"origins"`
	Answers answers      `json:"answers" doc:"Exchanges ended since the start by class of status: 1xx to 5xx, and none."`
	Tunnels int64        `json:"tunnels" doc:"Upgraded connections that are open."`
	LogLost uint64       `json:"access_log_lost" doc:"Records that the access log lost since the start."`
	Panics  uint64       `json:"panics" doc:"Bugs of weirkeep that were caught; please report them."`
}

// answers are numbers of exchanges by class of status.
type answers map[string]uint64

// originCounts say how many origins there are.
type originCounts struct {
	Up   int `json:"up"`
	Down int `json:"down"`
}

// tagged is a body with the revision as its tag.
type tagged[B any] struct {
	ETag string `header:"ETag" doc:"The revision, for If-Match."`
	Body B
}

func tag(revision int) string { return fmt.Sprintf(`"rev-%d"`, revision) }

func (a *api) overview(context.Context, *struct{}) (*tagged[overview], error) {
	s := a.gateway.Status()
	p := &a.metrics.Process
	return &tagged[overview]{tag(s.Revision), overview{
		Version: a.version,
		Status:  s,
		Origins: countOrigins(s.Origins),
		Answers: a.answers(),
		Tunnels: p.Tunnels.Load(),
		LogLost: p.AccessLog.Lost.Load(),
		Panics:  p.Panics.Load(),
	}}, nil
}

func countOrigins(all []OriginStatus) (c originCounts) {
	for _, o := range all {
		if o.Up {
			c.Up++
		} else {
			c.Down++
		}
	}
	return c
}

// answers are the ended exchanges of all mappings, and of none.
func (a *api) answers() answers {
	sum := make(answers, len(classes))
	for i, class := range classes {
		sum[class] = 0
		for _, m := range a.metrics.Current().Mappings() {
			sum[class] += m.Exchanges[i].Load()
		}
	}
	return sum
}

// originList is the body of GET /v1/origins.
type originList struct {
	Origins []OriginStatus `json:"origins" nullable:"false"`
}

func (a *api) origins(context.Context, *struct{}) (*tagged[originList], error) {
	s := a.gateway.Status()
	list := append([]OriginStatus{}, s.Origins...)
	return &tagged[originList]{tag(s.Revision), originList{list}}, nil
}

// reloadRequest asks for a reload, if the revision is still the one expected.
type reloadRequest struct {
	IfMatch string `header:"If-Match" example:"\"rev-41\"" doc:"Reload only if this revision is current."`
	who     string
}

// Resolve keeps who asks.
func (r *reloadRequest) Resolve(ctx huma.Context) []error {
	r.who = caller(ctx.RemoteAddr())
	return nil
}

// caller names who asks, for the log.
func caller(remote string) string {
	if remote == "" || remote == "@" {
		return "unix socket"
	}
	return remote
}

// reloaded is the body of a reload that was done.
type reloaded struct {
	Revision int       `json:"revision"`
	Warnings []finding `json:"warnings" nullable:"false" doc:"What is probably not meant."`
}

func (a *api) reload(ctx context.Context, r *reloadRequest) (*tagged[reloaded], error) {
	if now := tag(a.gateway.Status().Revision); r.IfMatch != "" && r.IfMatch != "*" && r.IfMatch != now {
		a.audit(r.who, reloading, "refused: the revision is "+now)
		return nil, huma.NewError(http.StatusPreconditionFailed, "the revision is "+now+", not "+r.IfMatch)
	}
	ps := a.gateway.Reload(ctx)
	if n := ps.Errors(); n > 0 {
		a.audit(r.who, reloading, fmt.Sprintf("refused: errors: %d", n))
		return nil, refusal(ps)
	}
	revision := a.gateway.Status().Revision
	a.audit(r.who, reloading, fmt.Sprintf("revision %d", revision))
	return &tagged[reloaded]{tag(revision), reloaded{revision, findings(ps)}}, nil
}

// reloading is what the log calls a reload.
const reloading = "config:reload"

// audit logs a change that was asked for.
func (a *api) audit(who, what, result string) {
	a.log.Info("admin change", "who", who, "what", what, "result", result)
}
