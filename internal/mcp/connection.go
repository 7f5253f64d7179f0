package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/lock"
)

// A connection is a live connection to a server, after the handshake.
type connection struct {
	session *sdk.ClientSession
	carrier backend
	hide    hider
	ctx     context.Context // of every request to the server; ends when close begins
	cancel  context.CancelCauseFunc
	over    chan struct{} // closed when the connection has ended, by either side
	quit    chan struct{} // closed to end it
	lost    chan error    // room for one: why it is not to be used any more
	changed atomic.Bool   // its tools have, since they were listed

	mu       lock.Mutex
	serial   int64
	progress map[string]*progress // of running calls, by token
	scopes   []*scope             // of running calls, oldest first
}

// A backend is what a connection uses: a program that runs, or HTTP.
type backend interface {
	// transport is for one sdk.Client.Connect.
	transport() sdk.Transport
	// hangUp ends whatever the transport waits for.
	hangUp()
	// close ends all there is of the server on our side, within about two limits, and returns
	// how it ended if that is known.
	close(session *sdk.ClientSession, limit time.Duration) string
}

var errLinkEnded = errors.New("the connection to the server has ended")

// handshakes are the protocol versions to begin with, in this order: nearly every server
// knows the first; "" is the latest, which has another handshake.
var handshakes = []string{"2025-11-25", ""}

// open connects, performs the handshake and lists the tools. On an error nothing is left behind.
//
// A server that refuses the first message with a status that says that it is not for messages may be one of the
// older transport (specification 2025-11-25, Transports, Backwards Compatibility).
func open(ctx context.Context, p *sharedServer) (l *connection, offers []offer, err error) {
	for _, version := range handshakes {
		l, offers, err = openVersion(ctx, p, version, p.config.SSE)
		if refused, ok := protocolError(err); !ok || refused.Code == jsonrpc.CodeInternalError {
			break
		}
	}
	if !p.config.SSE && isNoMessageEndpoint(err) {
		if l, offers, olderErr := openVersion(ctx, p, handshakes[0], true); olderErr == nil || signInError(olderErr, "") != nil {
			return l, offers, olderErr
		}
	}
	return l, offers, err
}

// isNoMessageEndpoint reports whether the status of a server means that its address accepts no messages.
func isNoMessageEndpoint(err error) bool {
	refused, ok := errors.AsType[*httpError](err)
	return ok && slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed}, refused.status)
}

func openVersion(ctx context.Context, p *sharedServer, version string, older bool) (*connection, []offer, error) {
	carrier, err := newBackend(ctx, p, older)
	if err != nil {
		return nil, nil, err
	}
	l := &connection{carrier: carrier, hide: p.hide, over: make(chan struct{}), quit: make(chan struct{}), lost: make(chan error, 1), progress: map[string]*progress{}}
	l.ctx, l.cancel = context.WithCancelCause(p.pool.ctx)
	stop := context.AfterFunc(ctx, carrier.hangUp) // not all of the library heeds ctx
	l.session, err = l.client(p).Connect(ctx, carrier.transport(), &sdk.ClientSessionOptions{ProtocolVersion: version})
	var offers []offer
	if err == nil {
		offers, err = l.list(ctx)
	}
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		go l.await()
		return l, offers, nil
	}
	l.cancel(err)
	how := carrier.close(l.session, p.pool.options.QuitLimit)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if how != "" && isHangUp(err) {
		return nil, nil, errors.New(how)
	}
	return nil, nil, err
}

// isHangUp reports whether err says only that the other end is closed.
func isHangUp(err error) bool {
	return slices.ContainsFunc([]error{errLinkEnded, io.EOF, io.ErrClosedPipe, syscall.EPIPE, sdk.ErrConnectionClosed},
		func(end error) bool { return errors.Is(err, end) })
}

func isRefusal(err error) bool {
	_, ok := protocolError(err)
	return ok
}

// newBackend starts a program, or prepares requests; older: by the transport of 2024-11-05.
func newBackend(ctx context.Context, p *sharedServer, older bool) (backend, error) {
	switch c := p.config; {
	case c.Problem != "":
		return nil, errors.New(c.Problem)
	case c.Command != "":
		return startProgram(ctx, p)
	case c.URL != "":
		e, err := newEndpoint(c)
		if err != nil {
			return nil, err
		}
		e.patient, e.signIn, e.older = p.pool.reopen, newSignIn(p), older
		return e, nil
	}
	return nil, errors.New("it has neither a command nor an address")
}

// await sees the end of the session; close makes sure that it comes.
func (l *connection) await() {
	_ = l.session.Wait()
	close(l.over)
}

// lose ends the connection, since its server cannot be reached.
func (l *connection) lose(err error) {
	select {
	case l.lost <- err:
	default:
	}
}

// fault returns why the connection is over. It is called when it is.
func (l *connection) fault() error {
	if err := l.session.Wait(); err != nil && !isHangUp(err) {
		return err
	}
	return errLinkEnded
}

// close ends the connection for a reason, and returns when nothing of it is left, but for how the
// server ended.
func (l *connection) close(reason error, limit time.Duration) string {
	l.cancel(reason) // its requests end first: the library waits for them
	how := l.carrier.close(l.session, limit)
	<-l.over
	return how
}

func (l *connection) client(p *sharedServer) *sdk.Client {
	log := p.pool.options.Log.With("server", p.label())
	options := &sdk.ClientOptions{
		Logger:                 slog.New(quiet{log.Handler()}),
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { p.changed(l) },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			l.progressed(r.Params)
		},
		LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) { //nolint:staticcheck // most servers speak the version that has it
			log.Debug("message of a tool server", "level", string(r.Params.Level), "text", p.hide.text(brief(fmt.Sprint(r.Params.Data), maxLogLine)))
		},
	}
	l.serve(p, options)
	root := p.config.Dir
	if root != "" {
		options.Capabilities.RootsV2 = &sdk.RootCapabilities{} //nolint:staticcheck // most servers speak the version that has it
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "parley", Version: cmp.Or(p.pool.options.Version, "unknown")}, options)
	if root != "" {
		client.AddRoots(&sdk.Root{Name: filepath.Base(root), URI: (&url.URL{Scheme: "file", Path: root}).String()}) //nolint:staticcheck // most servers speak the version that has it
	}
	return client
}

// maxTools bounds the tools of one server.
const maxTools = 1000

// list requests all tools, page by page. Of two with one name the first counts.
func (l *connection) list(ctx context.Context) ([]offer, error) {
	var offers []offer
	seen := map[string]bool{"": true}
	heard := 0
	for t, err := range l.session.Tools(ctx, nil) {
		if c := l.session.InitializeResult().Capabilities; isRefusal(err) && (c == nil || c.Tools == nil) {
			return nil, nil // it reported that it has none
		}
		if err != nil {
			return nil, fmt.Errorf("its tools could not be listed: %w", err)
		}
		if heard++; heard > maxTools {
			break
		}
		if !seen[t.Name] {
			seen[t.Name] = true
			offers = append(offers, offerOf(t, l.hide))
		}
	}
	return offers, nil
}

// quiet logs the library's messages as debug messages.
type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, _ slog.Level) bool {
	return q.Handler.Enabled(ctx, slog.LevelDebug)
}

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return q.Handler.Handle(ctx, r)
}
