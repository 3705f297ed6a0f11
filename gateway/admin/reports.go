package admin

import (
	"context"
	"errors"
	"math"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Reports is what the API needs to take what origins say of themselves. It may be
// called at any time, also at the same time. The error, for people, is of a value that
// is no number, or of an origin that takes nothing.
type Reports interface {
	ReportMetric(Report) (OriginStatus, error)
}

// Report is the number that an origin's metric is made of.
type Report struct {
	Cluster, Origin string
	Value           float64 // NaN: something else was pushed
	Collector       string  // what made it; empty: it does not say
}

// registerReports adds what takes reports.
func (a *api) registerReports(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "pushMetric", Method: http.MethodPost, Path: "/v1/metrics/{cluster}/{origin}",
		Summary:     "Say how busy an origin is",
		Description: "For clusters with metric: { source: push }. By the collector value the very next request goes by it. A cluster of another cell is written cell%2Fcluster.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity},
	}, a.pushMetric)
}

// pushRequest is a report.
type pushRequest struct {
	Cluster string `path:"cluster" maxLength:"129"`
	Origin  string `path:"origin" maxLength:"64"`
	Body    struct {
		Value     any    `json:"value,omitempty" doc:"The number: the metric, from 0, busy, to 100, idle, unless the configuration makes one of it. Whatever is no number is counted, and the default metric is in force."`
		Collector string `json:"collector,omitempty" maxLength:"128" doc:"What makes the number, with its parameters: origins of a cluster that say different ones are reported."`
	}
}

// pushed is the body of a report that was taken.
type pushed struct {
	Cluster string `json:"cluster"`
	Origin  string `json:"origin"`
	Metric  int    `json:"metric" doc:"The one in force now."`
	From    string `json:"metric_from" doc:"What that is: push, or initial, or default."`
}

// pushMetric takes a report. It is not logged as a change: there is one an interval.
func (a *api) pushMetric(_ context.Context, r *pushRequest) (*tagged[pushed], error) {
	value, ok := r.Body.Value.(float64)
	if !ok {
		value = math.NaN()
	}
	s, err := a.reports.ReportMetric(Report{r.Cluster, r.Origin, value, r.Body.Collector})
	switch {
	case errors.Is(err, ErrNoOrigin):
		return nil, notOperated(err)
	case err != nil && !ok:
		return nil, huma.NewError(http.StatusUnprocessableEntity, err.Error()+`; a number is pushed as {"value": 40}`)
	case err != nil:
		return nil, huma.NewError(http.StatusConflict, err.Error())
	}
	answer := pushed{Cluster: s.Cluster, Origin: s.Name, From: s.MetricFrom}
	if s.Metric != nil {
		answer.Metric = *s.Metric
	}
	return &tagged[pushed]{tag(a.gateway.Status().Revision), answer}, nil
}
