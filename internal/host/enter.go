package host

import (
	"context"
	"errors"
	"fmt"
)

// This file is for clients that do not come through Serve: those of the network.

// The reasons for which Enter refuses a client.
var (
	ErrFull    = errors.New("the host has as many clients as it takes")
	ErrClosing = errors.New("the host closes")
)

// Speaks reports whether clients can speak a dialect.
func (h *Host) Speaks(dialect string) bool { return h.o.Dialects[dialect] != nil }

// Enter counts a client until leave is called. Close waits for that.
func (h *Host) Enter() (leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.count(); err != nil {
		return nil, err
	}
	h.serving.Add(1)
	return func() {
		h.leave(nil)
		h.serving.Done()
	}, nil
}

// Dialect begins to speak to a client that has entered. c.Stop is the caller's, which closes it when Stop is closed.
func (h *Host) Dialect(ctx context.Context, c Conn) (Serve, error) {
	speaker := h.o.Dialects[c.Dialect]
	if speaker == nil {
		return nil, fmt.Errorf("this host does not speak %q", c.Dialect)
	}
	c.Closing = h.closing
	return speaker(ctx, c)
}

// Closing reports whether the host closes: it takes no client any more.
func (h *Host) Closing() bool { return h.isClosing() }

// Stop is closed when all connections have to end.
func (h *Host) Stop() <-chan struct{} { return h.stop }
