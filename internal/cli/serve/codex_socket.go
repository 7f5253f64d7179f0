package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley.dev/parley/internal/dialect/codex"
	"parley.dev/parley/internal/host/socket"
)

// serveSockets serves clients that connect, until the process is asked to end.
func (f codexFlags) serveSockets(cfg codex.Config) error {
	admit, err := f.tokens.Admit(time.Now)
	if err != nil {
		return err
	}
	server := socket.NewServer(socket.Options{Admit: admit, Speak: func(ctx context.Context, c *socket.Conn, stop <-chan struct{}) {
		own := cfg
		own.In, own.Out, own.Stop, own.Leaves = c, c, stop, true
		_ = codex.Serve(ctx, own) // how one client leaves makes no difference
	}})
	failed := make(chan error, 1)
	if f.listen != "off" {
		listener, address, err := socket.Listen(f.listen, filepath.Join(cfg.Home, "codex.sock"), admit != nil)
		if err != nil {
			return fmt.Errorf("--listen: %w", err)
		}
		fmt.Fprintf(os.Stderr, "codex app-server (WebSockets)\n  listening on: %s\n", address)
		if admit == nil && strings.HasPrefix(address, "ws://") {
			fmt.Fprintln(os.Stderr, socket.OpenWarning)
		}
		go func() { failed <- server.Serve(listener) }()
	}
	select {
	case <-cfg.Stop:
	case err = <-failed:
	}
	// Clients are sent how their turns end.
	err = errors.Join(err, cfg.Host.Close(context.Background()), server.Close())
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
