package main

import (
	"context"
	"fmt"
	"time"

	"weirkeep/gateway/admin"
	"weirkeep/gateway/config"
)

// startAdmin lets the admin API listen. It serves until the keeper is closed,
// whatever becomes of the gateway; what it listens on is what the first
// configuration says.
func (k *keeper) startAdmin(cfg *config.Config) error {
	token, err := k.adminToken(cfg)
	if err != nil {
		return &failure{status: exitFailure, err: fmt.Errorf("admin: %w", err), hint: "node.state_dir is where the token is kept; admin.token sets one"}
	}
	k.server, err = admin.Listen(admin.Options{
		Address:   cfg.Admin.Address,
		Socket:    cfg.Admin.Socket,
		Token:     token,
		TokenHint: "the token is in " + k.tokenPlace(cfg),
		Version:   version,
		Gateway:   k,
		Metrics:   k.gateway.Metrics(),
		Logger:    k.log,
	})
	if err != nil {
		return &failure{status: exitFailure, err: err, hint: "end what listens there, or choose another admin.address; \"off\" is none"}
	}
	go func() {
		if err := k.server.Serve(); err != nil {
			k.log.Error("the admin API has ended", "because", err)
		}
	}()
	return nil
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
func (k *keeper) closeAdmin() {
	if k.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := k.server.Close(ctx); err != nil {
		k.log.Debug("the admin API was cut", "because", err)
	}
}

// Reload is for the admin API.
func (k *keeper) Reload(context.Context) config.Problems { return k.reload("admin API") }

// Status is for the admin API, which does not know the gateway.
func (k *keeper) Status() admin.Status {
	s := k.gateway.Status()
	status := admin.Status{
		Ready: s.Ready, NotReady: s.NotReady, Draining: s.Draining,
		Revision: s.Revision, Started: s.Started, Applied: s.Applied,
		Connections: s.Connections, Exchanges: s.Exchanges,
		Listeners: make([]admin.ListenerStatus, 0, len(s.Listeners)),
		Origins:   make([]admin.OriginStatus, 0, len(s.Origins)),
	}
	for _, l := range s.Listeners {
		status.Listeners = append(status.Listeners, admin.ListenerStatus(l))
	}
	for _, o := range s.Origins {
		status.Origins = append(status.Origins, admin.OriginStatus(o))
	}
	return status
}
