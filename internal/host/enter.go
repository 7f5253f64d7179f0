package host

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
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
		h.leave(nil, nil)
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
	return h.guarded(c.Dialect, func() (Serve, error) { return speaker(ctx, c) })
}

// exitInternal is the exit code of a connection that a defect has ended.
const exitInternal = 70

// errInternal is what a client is sent of a defect; the log has the rest.
var errInternal = errors.New("internal error: the host has ended this connection; its log says more")

// guarded returns what prepare does, made safe: a panic of either ends one connection, and no other client notices it.
func (h *Host) guarded(dialect string, prepare func() (Serve, error)) (serve Serve, err error) {
	defer func() {
		if h.recovered(dialect, recover()) {
			serve, err = nil, errInternal
		}
	}()
	speak, err := prepare()
	if err != nil {
		return nil, err
	}
	return func() (code int, err error) {
		defer func() {
			if h.recovered(dialect, recover()) {
				code, err = exitInternal, errInternal
			}
		}()
		return speak()
	}, nil
}

// recovered logs what recover has returned, and reports whether that was a panic.
func (h *Host) recovered(dialect string, p any) bool {
	if p != nil {
		h.o.Log.Error("internal error", "dialect", dialect, "panic", p, "stack", string(debug.Stack()))
	}
	return p != nil
}

// Closing reports whether the host closes: it takes no client any more.
func (h *Host) Closing() bool { return h.isClosing() }

// Stop is closed when all connections have to end.
func (h *Host) Stop() <-chan struct{} { return h.stop }
