package main

import (
	"errors"

	"weirkeep/gateway"
	"weirkeep/gateway/admin"
)

func originStatus(o gateway.OriginStatus) admin.OriginStatus {
	s := admin.OriginStatus{
		Cell: o.Cell, Cluster: o.Cluster, Name: o.Name, Address: o.Address, Found: o.Found,
		State: o.State, StateBy: o.StateBy, Configured: o.Configured, StateSet: stateSet(o.StateSet), WeightSet: weightSet(o.WeightSet),
		Health: o.Health, Up: o.Up, Checked: o.Checked,
		Load: o.Load, Capacity: o.Capacity, Learned: o.Learned, Waiting: o.Waiting, Tunnels: o.Tunnels, InFlight: o.InFlight, Sessions: o.Sessions,
		Weight: o.Weight, Metric: o.Metric, MetricFrom: o.MetricFrom, Idle: o.Idle, Attempts: o.Attempts, Failures: o.Failures,
		Since: o.Since, LastError: o.LastError, LastErrorAt: o.LastErrorAt,
		Transitions: make([]admin.Transition, 0, len(o.Transitions)),
	}
	for _, u := range o.Uncounted {
		s.Uncounted = append(s.Uncounted, admin.Uncounted(u))
	}
	for _, t := range o.Transitions {
		s.Transitions = append(s.Transitions, admin.Transition{
			At: t.At, From: t.From.String(), To: t.To.String(), Why: t.Why, Failures: t.Failures, By: t.By.String(), Cluster: t.Cluster,
		})
	}
	return s
}

// stateSet is what an operator has set, nil if nothing.
func stateSet(s gateway.Set[string]) *admin.StateSet {
	if s.Value == "" {
		return nil
	}
	return &admin.StateSet{State: s.Value, Over: s.Over, By: s.By, At: s.At}
}

// weightSet is a weight that an operator has set, nil if none.
func weightSet(s gateway.Set[int]) *admin.WeightSet {
	if s.Value == 0 {
		return nil
	}
	return &admin.WeightSet{Weight: s.Value, Over: s.Over, By: s.By, At: s.At}
}

// errLeaving is what an operator is answered while the place is being taken: what is
// set now, the new process would not know.
var errLeaving = errors.New("a new process is taking the place of this one: ask again in a moment")

// Operate is for the admin API.
func (k *keeper) Operate(o admin.Operation) ([]admin.Operated, error) {
	if k.leaving.Load() {
		return nil, errLeaving
	}
	done, err := k.gateway.Operate(gateway.Operation(o))
	switch {
	case errors.Is(err, gateway.ErrNoOrigin):
		return nil, &translated{err, admin.ErrNoOrigin}
	case errors.Is(err, gateway.ErrLast):
		return nil, &translated{err, admin.ErrLast}
	case err != nil:
		return nil, err
	}
	all := make([]admin.Operated, 0, len(done))
	for _, o := range done {
		all = append(all, admin.Operated{
			Cell: o.Cell, Cluster: o.Cluster, Name: o.Name, Address: o.Address, Configured: o.Configured, Weighed: o.Weighed,
			Before: standing(o.Before), Now: standing(o.Now),
		})
	}
	return all, nil
}

func standing(s gateway.Standing) admin.Standing {
	return admin.Standing{State: s.State, StateBy: s.By, StateSet: stateSet(s.Set), Weight: s.Weight, WeightSet: weightSet(s.WeightSet)}
}

// translated is an error of the gateway that the admin API knows by a sentinel of its
// own.
type translated struct {
	error
	known error
}

// Unwrap is the API's.
func (t *translated) Unwrap() error { return t.known }
