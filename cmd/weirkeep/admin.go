package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"weirkeep/gateway"
	"weirkeep/gateway/admin"
	"weirkeep/gateway/config"
)

// startAdmin lets the admin API listen. It serves until the keeper is closed,
// whatever becomes of the gateway; what it listens on is what the first
// configuration says. What keeps it from that is told with its key.
func (k *keeper) startAdmin(cfg *config.Config) config.Problems {
	token, err := k.adminToken(cfg)
	if err != nil {
		return config.Problems{cfg.At("node.state_dir", config.Error, "E805", "node.state_dir: no admin token can be kept there: "+err.Error(),
			"let this user write there, choose another node.state_dir, or set admin.token")}
	}
	k.server, err = admin.Listen(admin.Options{
		Address:   cfg.Admin.Address,
		Socket:    cfg.Admin.Socket,
		Token:     token,
		TokenHint: "the token is in " + k.tokenPlace(cfg),
		Inherited: k.sockets.claim,
		Version:   version,
		Gateway:   k,
		Rollouts:  k.gateway,
		Reports:   k,
		Operator:  k,
		Cache:     k,
		Metrics:   k.gateway.Metrics(),
		Logger:    k.log,
	})
	if err != nil {
		return config.Problems{notListening(cfg, err)}
	}
	if k.replaces.pipe == nil { // else the one before answers until we serve
		go serveAdmin(k.server, k.log)
	}
	return nil
}

func serveAdmin(s *admin.Server, log *slog.Logger) {
	if err := s.Serve(); err != nil {
		log.Error("the admin API has ended", "because", err)
	}
}

// notListening is why the admin API does not listen, at the key to blame.
func notListening(cfg *config.Config, err error) config.Problem {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Net == "tcp" {
		return cfg.At("admin.address", config.Error, "E802", fmt.Sprintf("admin.address: cannot listen on %s: %v", cfg.Admin.Address, op.Err),
			"end what listens there, or choose another admin.address; \"off\" is none")
	}
	folder := filepath.Dir(cfg.Admin.Socket)
	says, hint := err.Error(), "end the gateway that has it, or choose another admin.socket"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		says, hint = "the folder "+folder+" does not exist", "mkdir "+folder+", or choose another admin.socket"
	case errors.Is(err, fs.ErrPermission):
		says, hint = "this user may not write to the folder "+folder, "let it, or choose another admin.socket"
	}
	return cfg.At("admin.socket", config.Error, "E804", "admin.socket: "+says, hint)
}

// adminToken is what lets clients of the address in: the configuration's, or
// the one in the state directory.
func (k *keeper) adminToken(cfg *config.Config) (string, error) {
	if cfg.Admin.Token != "" || cfg.Admin.Address == "off" {
		return string(cfg.Admin.Token), nil
	}
	token, made, err := admin.Token(cfg.Node.StateDir)
	if made {
		k.log.Info("an admin token was made", "file", admin.TokenFile(cfg.Node.StateDir))
	}
	return token, err
}

// tokenPlace is where an operator finds the token.
func (k *keeper) tokenPlace(cfg *config.Config) string {
	if cfg.Admin.Token != "" {
		return k.source.name + " (admin.token)"
	}
	return admin.TokenFile(cfg.Node.StateDir)
}

// adminURL is where the admin API is, as --admin takes it.
func (k *keeper) adminURL(cfg *config.Config) string {
	switch a := k.server.Address(); {
	case a != nil:
		return "http://" + a.String()
	case cfg.Admin.Socket != "":
		return "unix://" + cfg.Admin.Socket
	}
	return "off"
}

// closeAdmin lets answers of the admin API end, for a moment.
func (k *keeper) closeAdmin() { k.endAdmin((*admin.Server).Close) }

func (k *keeper) endAdmin(end func(*admin.Server, context.Context) error) {
	if k.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := end(k.server, ctx); err != nil {
		k.log.Debug("the admin API was cut", "because", err)
	}
	k.server = nil
}

// leaveAdmin ends the admin API here: another process has its sockets.
func (k *keeper) leaveAdmin() { k.endAdmin((*admin.Server).Leave) }

// Reload is for the admin API.
func (k *keeper) Reload(context.Context) config.Problems { return k.reload("admin API") }

// Status is for the admin API, which does not know the gateway.
func (k *keeper) Status() admin.Status {
	s := k.gateway.Status()
	status := admin.Status{
		Ready: s.Ready, NotReady: s.NotReady, Draining: s.Draining,
		Revision: s.Revision, Started: s.Started, Applied: s.Applied,
		LastRefusal: (*admin.Refusal)(s.LastRefusal),
		Connections: s.Connections, Exchanges: s.Exchanges,
		Listeners: make([]admin.ListenerStatus, 0, len(s.Listeners)),
		Clusters:  make([]admin.ClusterStatus, 0, len(s.Clusters)),
		Origins:   make([]admin.OriginStatus, 0, len(s.Origins)),
	}
	for _, l := range s.Listeners {
		status.Listeners = append(status.Listeners, admin.ListenerStatus(l))
	}
	for _, c := range s.Clusters {
		status.Clusters = append(status.Clusters, admin.ClusterStatus{
			Name: c.Name, Balancer: c.Balancer, Waiting: c.Waiting, QueueSize: c.QueueSize, Panicking: c.Panicking,
			Discovery: (*admin.DiscoveryStatus)(c.Discovery),
		})
	}
	for _, o := range s.Origins {
		status.Origins = append(status.Origins, originStatus(o))
	}
	return status
}

// Explain is for the admin API.
func (k *keeper) Explain(q admin.Question) (any, error) {
	head, err := latin1Bytes(q.Head)
	if err != nil {
		return nil, fmt.Errorf("head: %w", err)
	}
	question := gateway.Question{Raw: head, Secure: q.Secure, Fragment: q.Fragment, Down: q.Down, States: q.States}
	if question.Answer, err = latin1Bytes(q.Answer); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	if question.From, err = parseFrom(q.From); err != nil {
		return nil, err
	}
	return k.gateway.Explain(question)
}

// ReportMetric is for the admin API.
func (k *keeper) ReportMetric(r admin.Report) (admin.OriginStatus, error) {
	o, err := k.gateway.ReportMetric(gateway.MetricReport(r))
	if errors.Is(err, gateway.ErrNoOrigin) {
		err = &translated{err, admin.ErrNoOrigin}
	}
	return originStatus(o), err
}

// Rules are for the admin API.
func (k *keeper) Rules() any { return k.gateway.Rules() }
