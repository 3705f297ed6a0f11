package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"weirkeep/gateway/config"
)

// problem is the body of every answer that is an error (RFC 9457).
type problem struct {
	Type       string    `json:"type,omitempty" doc:"Kind of the problem; about:blank when it is the status alone."`
	Title      string    `json:"title" doc:"What kind of problem this is, in a few words."`
	Status     int       `json:"status" doc:"HTTP status."`
	Detail     string    `json:"detail,omitempty" doc:"What happened this time."`
	Suggestion string    `json:"suggestion,omitempty" doc:"What to do or type instead."`
	Problems   []finding `json:"problems,omitempty" doc:"Every mistake that was found, in the order of the files."`
}

// finding is one problem of the configuration.
type finding struct {
	Type       string `json:"type" doc:"Kind of the problem, with its code."`
	Code       string `json:"code" example:"E205" doc:"What weirkeep help explains."`
	Severity   string `json:"severity" enum:"error,warning"`
	Title      string `json:"title" doc:"What the code means, in a few words."`
	Detail     string `json:"detail" doc:"What is wrong, in configuration keys."`
	Instance   string `json:"instance,omitempty" example:"weirkeep.yaml:30:9" doc:"Where: file, line and column."`
	Excerpt    string `json:"excerpt,omitempty" doc:"The lines around it, with a caret."`
	Suggestion string `json:"suggestion,omitempty" doc:"What to type instead."`
}

// Error is the detail.
func (p *problem) Error() string { return p.Detail }

// GetStatus is the status to answer with.
func (p *problem) GetStatus() int { return p.Status }

// ContentType is that of problem documents.
func (p *problem) ContentType(string) string { return "application/problem+json" }

// complete fills in what follows from the status.
func (p *problem) complete() *problem {
	if p.Type == "" {
		p.Type = "about:blank"
	}
	if p.Title == "" {
		p.Title = http.StatusText(p.Status)
	}
	return p
}

// writeProblem answers with p.
func writeProblem(w http.ResponseWriter, p *problem) {
	w.Header().Set("Content-Type", p.ContentType(""))
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(p.complete())
}

// useProblems makes problem the error of huma, which has one for the process.
var useProblems = sync.OnceFunc(func() {
	huma.NewError = func(status int, detail string, errs ...error) huma.StatusError {
		if err := errors.Join(errs...); err != nil {
			detail += ": " + err.Error()
		}
		p := &problem{Status: status, Detail: detail}
		if status == http.StatusUnsupportedMediaType {
			p.Suggestion = "send JSON, and say so: Content-Type: application/json"
		}
		return p.complete()
	}
})

// refusal is the answer to a reload that changed nothing.
func refusal(ps config.Problems) *problem {
	return (&problem{
		Type:     "urn:weirkeep:problem:configuration-refused",
		Title:    "configuration refused",
		Status:   http.StatusUnprocessableEntity,
		Detail:   fmt.Sprintf("errors: %d, warnings: %d; nothing was changed", ps.Errors(), ps.Warnings()),
		Problems: findings(ps),
	}).complete()
}

// findings are the problems as the API shows them.
func findings(ps config.Problems) []finding {
	out := make([]finding, 0, len(ps))
	for _, p := range ps {
		f := finding{
			Type: "urn:weirkeep:problem:" + p.Code, Code: p.Code, Severity: p.Severity.String(),
			Detail: p.Message, Instance: instance(p), Excerpt: p.Excerpt, Suggestion: p.Hint,
		}
		if code, known := config.Explain(p.Code); known {
			f.Title = code.Title
		}
		out = append(out, f)
	}
	return out
}

// instance is the place of p, file:line:column, or nothing.
func instance(p config.Problem) string {
	if p.File == "" {
		return ""
	}
	return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}
