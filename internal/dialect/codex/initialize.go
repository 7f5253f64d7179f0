package codex

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains the handshake.

func initializeMethods() []handler {
	return []handler{on("initialize", (*conn).initialize, checkInitialize)}
}

func checkInitialize(p *InitializeParams) error {
	if p.ClientInfo.Name == "" {
		return problem("clientInfo.name", "must not be empty")
	}
	return nil
}

// initialize opens the connection.
func (c *conn) initialize(_ context.Context, id jsonrpc.ID, p *InitializeParams) {
	c.ready, c.client, c.silent = true, p.ClientInfo, map[string]bool{}
	if p.Capabilities != nil {
		c.experimental = p.Capabilities.ExperimentalAPI
		for _, method := range p.Capabilities.OptOutNotificationMethods {
			c.silent[method] = true
		}
	}
	c.cfg.Process.enter(c)
	family := "unix"
	if runtime.GOOS == "windows" {
		family = "windows"
	}
	c.reply(id, InitializeResponse{
		UserAgent: fmt.Sprintf("%s/%s (parley %s)", c.client.Name, schemaVersion, c.cfg.Version), CodexHome: c.cfg.Home,
		PlatformFamily: family, PlatformOS: cmp.Or(platforms[runtime.GOOS], runtime.GOOS),
	})
}

// platforms are the names of systems that differ from Go's.
var platforms = map[string]string{"darwin": "macos"}
