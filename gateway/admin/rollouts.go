package admin

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"weirkeep/gateway/rollout"
)

// Rollouts is what the API needs to roll out editions. Its methods may be called at
// any time, also at the same time; errors are for people.
type Rollouts interface {
	// Rollouts tells how each stands, in the order of the applications' names.
	Rollouts() []rollout.Status
	// StartRollout begins one; to is the edition's label, empty for the next one.
	StartRollout(application, to string) (rollout.Status, error)
	// ConfirmRollout says that origins run the new edition; none: all that wait.
	ConfirmRollout(application string, origins ...string) (rollout.Status, error)
	// CancelRollout ends one where it is.
	CancelRollout(application string) (rollout.Status, error)
	// ForgetRollout takes one away that is over.
	ForgetRollout(application string) error
}

// registerRollouts adds what rolls out editions.
func (a *api) registerRollouts(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "rollouts", Method: http.MethodGet, Path: "/v1/rollouts",
		Summary: "How every roll-out of an edition stands",
	}, a.rollouts)
	change := func(id, summary, description string) huma.Operation {
		return huma.Operation{
			OperationID: id, Method: http.MethodPost, Path: "/v1/rollouts/{application}/" + id,
			Summary: summary, Description: description, Errors: []int{http.StatusConflict},
		}
	}
	huma.Register(h, change("start", "Bring an edition to the origins of an application",
		"Some origins at a time take no new sessions, are waited for, closed, and opened when they run the new edition."), a.startRollout)
	huma.Register(h, change("confirm", "Say that origins run the new edition", "For those whose health answers do not say so in X-Edition."), a.confirmRollout)
	huma.Register(h, change("cancel", "End a roll-out where it is", "What was drained or closed is opened again; nothing is rolled back."), a.cancelRollout)
	huma.Register(h, change("forget", "Go by the configuration alone again", "Only of a roll-out that is over."), a.forgetRollout)
}

// rolloutList is the body of GET /v1/rollouts.
type rolloutList struct {
	Rollouts []rollout.Status `json:"rollouts" nullable:"false"`
}

func (a *api) rollouts(context.Context, *struct{}) (*tagged[rolloutList], error) {
	return &tagged[rolloutList]{tag(a.gateway.Status().Revision), rolloutList{a.steward.Rollouts()}}, nil
}

// Change is who asks for a change of which application's roll-out. It is exported
// for huma, which looks into it.
type Change struct {
	Application string `path:"application" maxLength:"64"`
	who         string
}

// Resolve keeps who asks.
func (r *Change) Resolve(ctx huma.Context) []error {
	r.who = caller(ctx.RemoteAddr())
	return nil
}

// startRequest begins a roll-out.
type startRequest struct {
	Change
	Body struct {
		To string `json:"to,omitempty" doc:"Label of the edition; default: the one that the configuration says is next." maxLength:"64"`
	}
}

// confirmRequest names origins.
type confirmRequest struct {
	Change
	Body struct {
		Origins []string `json:"origins,omitempty" doc:"Their names; none: all that are waited for." maxItems:"1000"`
	}
}

// changeRequest says no more than which application.
type changeRequest struct{ Change }

func (a *api) startRollout(_ context.Context, r *startRequest) (*tagged[rollout.Status], error) {
	s, err := a.steward.StartRollout(r.Application, r.Body.To)
	return a.changed(r.Change, "start", s, err)
}

func (a *api) confirmRollout(_ context.Context, r *confirmRequest) (*tagged[rollout.Status], error) {
	s, err := a.steward.ConfirmRollout(r.Application, r.Body.Origins...)
	return a.changed(r.Change, "confirm", s, err)
}

func (a *api) cancelRollout(_ context.Context, r *changeRequest) (*tagged[rollout.Status], error) {
	s, err := a.steward.CancelRollout(r.Application)
	return a.changed(r.Change, "cancel", s, err)
}

// changed logs the change and answers with what came of it.
func (a *api) changed(r Change, what string, s rollout.Status, err error) (*tagged[rollout.Status], error) {
	if err := a.conclude(r, what, err); err != nil {
		return nil, err
	}
	return &tagged[rollout.Status]{tag(a.gateway.Status().Revision), s}, nil
}

// forgotten is the body of a roll-out that was forgotten.
type forgotten struct {
	Application string `json:"application"`
}

func (a *api) forgetRollout(_ context.Context, r *changeRequest) (*tagged[forgotten], error) {
	if err := a.conclude(r.Change, "forget", a.steward.ForgetRollout(r.Application)); err != nil {
		return nil, err
	}
	return &tagged[forgotten]{tag(a.gateway.Status().Revision), forgotten{r.Application}}, nil
}

// conclude logs a change, and makes the problem of an error.
func (a *api) conclude(r Change, what string, err error) error {
	what = "rollouts/" + r.Application + "/" + what
	if err != nil {
		a.audit(r.who, what, "refused: "+err.Error())
		return huma.NewError(http.StatusConflict, err.Error())
	}
	a.audit(r.who, what, "done")
	return nil
}
