package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway"
	"weirkeep/plugins"
)

// pluginsFound is what the admin API answers, and `plugin ls -o json` prints.
type pluginsFound struct {
	Schema  int            `json:"schema"`
	Plugins []pluginStatus `json:"plugins"` // never null
}

// pluginStatus is how a plugin is.
type pluginStatus struct {
	Name        string              `json:"name"`
	Kind        string              `json:"kind"`
	Engine      string              `json:"engine"`
	SHA256      string              `json:"sha256"`
	Generation  int64               `json:"generation"` // how often it was loaded since it was first named
	Calls       uint64              `json:"calls"`
	Seconds     float64             `json:"seconds"` // that they took together
	Fuel        uint64              `json:"fuel"`    // that they used together
	Errors      uint64              `json:"errors"`  // negative answers
	Faults      uint64              `json:"faults"`
	NotCalled   uint64              `json:"not_called"`
	Waits       uint64              `json:"waits"`       // calls that waited for an instance
	LastFault   *pluginFault        `json:"last_fault"`  // the first of last_faults
	LastFaults  []pluginFault       `json:"last_faults"` // the newest first, at most 20; never null
	Attachments []pluginAttachments `json:"attachments"` // never null
}

// pluginFault is a fault.
type pluginFault struct {
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Place   string    `json:"place"`
	Export  string    `json:"export"`
	Request string    `json:"request,omitempty"` // id of the exchange, 16 digits; empty: of none
	Message string    `json:"message"`
	Stack   string    `json:"stack,omitempty"`  // of the guest, innermost first, one a line
	Stderr  string    `json:"stderr,omitempty"` // the end of what it wrote there
}

// pluginAttachments is a place where a plugin is attached.
type pluginAttachments struct {
	Place     string `json:"place"`
	Instances int    `json:"instances"`
	Idle      int    `json:"idle"`
	Most      int    `json:"most"`
	Memory    int64  `json:"memory"` // bytes of all instances
	Table     uint32 `json:"table"`  // generation of the cluster table; 0: none
	Breaker   string `json:"breaker"`

	Stages []string `json:"stages,omitempty"` // of filters: when they see answers, deliver or store
}

// at is the place as people read it.
func (p *pluginAttachments) at() string {
	if slices.Contains(p.Stages, "store") {
		return p.Place + ", stage " + strings.Join(p.Stages, " and ")
	}
	return p.Place
}

// Plugins are for the admin API, in the form that `plugin ls -o json` prints.
func (k *keeper) Plugins() any {
	all := []pluginStatus{}
	for _, p := range k.gateway.Plugins() {
		all = append(all, statusOfPlugin(&p))
	}
	return all
}

func statusOfPlugin(p *gateway.PluginStatus) pluginStatus {
	c := p.Counters
	s := pluginStatus{
		Name: p.Name, Kind: string(p.Kind), Engine: p.Engine, SHA256: p.SHA256, Generation: p.Generation,
		Calls: c.Calls.Load(), Seconds: c.Duration.Load().Sum.Seconds(), Fuel: c.Fuel.Load(), Errors: c.Negative.Load(), Waits: c.Waits.Load(),
		LastFaults: []pluginFault{}, Attachments: []pluginAttachments{},
	}
	for i := range c.Faults {
		s.Faults += c.Faults[i].Load()
	}
	for i := range c.NotCalled {
		s.NotCalled += c.NotCalled[i].Load()
	}
	for i := range p.Faults {
		s.LastFaults = append(s.LastFaults, faultStatus(&p.Faults[i]))
	}
	if len(s.LastFaults) > 0 {
		s.LastFault = &s.LastFaults[0]
	}
	for _, at := range p.Standings {
		s.Attachments = append(s.Attachments, pluginAttachments{
			Place: at.Place, Instances: at.Instances, Idle: at.Idle, Most: at.Most, Memory: at.Memory, Table: at.Table, Breaker: string(at.Breaker), Stages: at.Stages,
		})
	}
	return s
}

func faultStatus(f *plugins.Fault) pluginFault {
	s := pluginFault{At: f.At, Kind: string(f.Kind), Place: f.Attachment, Export: f.Export, Message: f.Message, Stack: f.Stack, Stderr: f.Stderr}
	if f.RequestID != 0 {
		s.Request = fmt.Sprintf("%016x", f.RequestID)
	}
	return s
}
