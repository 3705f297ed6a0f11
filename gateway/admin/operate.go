package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Operator is what the API needs to operate origins. It may be called at any time,
// also at the same time.
type Operator interface {
	// Operate does what is wanted of all origins that are named, or of none. The error
	// is one for people; it may be [ErrNoOrigin] or [ErrLast].
	Operate(Operation) ([]Operated, error)
}

// ErrNoOrigin means that an origin is named that there is not.
var ErrNoOrigin = errors.New("no such origin")

// ErrLast means that a cluster would have no origin left that takes new clients.
var ErrLast = errors.New("the last origin")

// Operation is what is wanted of origins.
type Operation struct {
	Origins []string
	State   string // serving, draining, maintenance or disabled; empty: as it is
	Weight  *int   // 0: the configuration's; nil: as it is
	Force   bool   // also if a cluster has no origin left then
	DryRun  bool   // nothing is done
	By      string // who wants it
}

// Operated is what became of one origin.
type Operated struct {
	Cell       string   `json:"cell,omitempty" doc:"Absent: no cluster has the origin now."`
	Cluster    string   `json:"cluster,omitempty" doc:"Without its cell."`
	Name       string   `json:"name"`
	Address    string   `json:"address"`
	Configured string   `json:"state_configured,omitempty" doc:"The state in the configuration; absent: it is not there."`
	Weighed    bool     `json:"weighed" doc:"Whether a balancer goes by the weight."`
	Before     Standing `json:"before"`
	Now        Standing `json:"now"`
}

// Standing is what an origin may be sent, and who says so.
type Standing struct {
	State    string    `json:"state,omitempty" doc:"The most closed of all words; absent: no cluster has the origin."`
	StateBy  string    `json:"state_by,omitempty" doc:"Whose word that is: configuration, discovery, servers, rollout or operator."`
	StateSet *StateSet `json:"state_set,omitempty" doc:"What an operator has set; absent: nothing."`

	Weight    int        `json:"weight,omitempty" doc:"Absent: no cluster has the origin."`
	WeightSet *WeightSet `json:"weight_set,omitempty" doc:"A weight that an operator has set; absent: none."`
}

// registerOperate adds what operates origins.
func (a *api) registerOperate(h huma.API) {
	const description = "draining: no new sessions; maintenance: only what a rule lets in; disabled: nothing. serving takes that back: the origin is then what the configuration and the roll-outs say. " +
		"Of all words the most closed holds. A weight holds over that of the configuration. It holds after reloads and restarts. All are changed, or none."
	errs := []int{http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity}
	huma.Register(h, huma.Operation{
		OperationID: "operate", Method: http.MethodPatch, Path: "/v1/origins",
		Summary: "Say what origins may be sent", Description: description, Errors: errs,
	}, a.operateSome)
	huma.Register(h, huma.Operation{
		OperationID: "operate-one", Method: http.MethodPatch, Path: "/v1/origins/{cell}/{cluster}/{name}",
		Summary: "Say what an origin may be sent", Description: description, Errors: errs,
	}, a.operateOne)
}

// Wanted is what is wanted of origins. It is exported for huma, which looks into it.
type Wanted struct {
	State  string `json:"state,omitempty" enum:"serving,draining,maintenance,disabled" doc:"Absent: as it is."`
	Weight *int   `json:"weight,omitempty" minimum:"0" maximum:"100" doc:"0: that of the configuration; absent: as it is."`
	Force  bool   `json:"force,omitempty" doc:"Also if a cluster has no origin left that takes new clients."`
	DryRun bool   `json:"dry_run,omitempty" doc:"Say what would happen, and do nothing."`
}

// Asker is who asks. It is exported for huma.
type Asker struct{ who string }

// Resolve keeps who asks.
func (r *Asker) Resolve(ctx huma.Context) []error {
	r.who = caller(ctx.RemoteAddr())
	return nil
}

// someRequest names origins in the body.
type someRequest struct {
	Asker
	Body struct {
		Wanted
		Origins []string `json:"origins" minItems:"1" maxItems:"1000" doc:"Names, cluster/name, cell/cluster/name, addresses, or patterns of these with *."`
	}
}

// oneRequest names one origin in the path.
type oneRequest struct {
	Asker
	Cell    string `path:"cell"`
	Cluster string `path:"cluster"`
	Name    string `path:"name"`
	Body    Wanted
}

// operatedList is the body of an operation that was done.
type operatedList struct {
	DryRun  bool       `json:"dry_run,omitempty"`
	Origins []Operated `json:"origins" nullable:"false"`
}

func (a *api) operateSome(_ context.Context, r *someRequest) (*tagged[operatedList], error) {
	return a.operate(r.who, r.Body.Wanted, r.Body.Origins)
}

func (a *api) operateOne(_ context.Context, r *oneRequest) (*tagged[operatedList], error) {
	return a.operate(r.who, r.Body, []string{r.Cell + "/" + r.Cluster + "/" + r.Name})
}

func (a *api) operate(who string, w Wanted, names []string) (*tagged[operatedList], error) {
	if w.State == "" && w.Weight == nil {
		return nil, huma.NewError(http.StatusUnprocessableEntity, "neither a state nor a weight is wanted")
	}
	all, err := a.operator.Operate(Operation{Origins: names, State: w.State, Weight: w.Weight, Force: w.Force, DryRun: w.DryRun, By: who})
	if err != nil {
		a.audit(who, fmt.Sprintf("origins %v: %s", names, w), "refused: "+err.Error())
		return nil, notOperated(err)
	}
	for _, o := range all {
		if !w.DryRun {
			a.audit(who, "origins/"+o.path()+": "+w.String(), o.Before.text(w)+" -> "+o.Now.text(w))
		}
	}
	return &tagged[operatedList]{tag(a.gateway.Status().Revision), operatedList{w.DryRun, all}}, nil
}

// path is the origin's name in full, or as far as it has one.
func (o Operated) path() string {
	if o.Cluster == "" {
		return o.Name
	}
	return o.Cell + "/" + o.Cluster + "/" + o.Name
}

// text is what the log says of it, after what was wanted.
func (s Standing) text(w Wanted) string {
	switch {
	case s.State == "":
		return "gone"
	case w.State == "":
		return strconv.Itoa(s.Weight)
	case w.Weight == nil:
		return s.State + " by " + s.StateBy
	}
	return fmt.Sprintf("%s by %s, weight %d", s.State, s.StateBy, s.Weight)
}

// String is what is wanted, for the log.
func (w Wanted) String() string {
	var parts []string
	if w.State != "" {
		parts = append(parts, w.State)
	}
	if w.Weight != nil {
		parts = append(parts, fmt.Sprintf("weight %d", *w.Weight))
	}
	return strings.Join(parts, ", ")
}

// notOperated is the answer to an operation that was not done.
func notOperated(err error) *problem {
	p := &problem{Status: http.StatusConflict, Detail: err.Error()}
	switch {
	case errors.Is(err, ErrNoOrigin):
		p.Status, p.Suggestion = http.StatusNotFound, "GET /v1/origins lists what there is"
	case errors.Is(err, ErrLast):
		p.Type, p.Title, p.Suggestion = "urn:weirkeep:problem:last-origin", "last origin", `"force": true does it all the same`
	}
	return p.complete()
}
