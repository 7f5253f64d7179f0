package loaf

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/wire/jsonrpc"
)

const (
	lineLimit = 64 << 20 // bytes of an inbound line
	outBound  = 1 << 20  // bytes that wait for a slow client before the pumps wait
)

// Config is what a connection works with.
type Config struct {
	Host     *engine.Host
	In       io.Reader
	Out      io.Writer // nothing else may write to it
	Log      *slog.Logger
	Version  string
	Flags    Flags
	SignIn   SignIn
	Settings *Settings              // what clients chose, kept from process to process
	Skills   func() skill.Places    // where skills are looked for
	NewID    func() string          // of sessions and turns; default: UUIDs, version 7
	Now      func() time.Time       // default: time.Now
	Stop     <-chan struct{}        // asks for an interrupt and then a shutdown
	Signal   func() (reason string) // why Stop asked: sigint or sigterm
	Rights   *rights.Client         // nil: the client is the user
}

// A conn is the one client of a process, with any number of sessions.
type conn struct {
	cfg      Config
	out      *dialect.Output
	replies  *dialect.Replies
	server   *dialect.Server
	pumping  *dialect.Group // one pump a chat
	blocking *dialect.Group // requests whose answer takes a while
	life     context.Context
	end      context.CancelFunc

	delivery atomic.Pointer[delivery]
	debug    atomic.Bool
	messages atomic.Int64 // ids so far

	mu       lock.Mutex // held while a line is handled, and to take everything down
	name     string     // of the client
	sessions map[string]*session
	notified bool // the reason of the end was sent

	roster lock.Mutex
	order  []string // ids of sessions, as they were made
}

// A delivery is how events are sent.
type delivery struct {
	format EventFormat
	scope  EventScope
	fixed  bool // the scope was asked for, and does not follow the format
}

// Serve speaks to one client and returns the exit code. It returns when the input has
// ended, or Stop, or a shutdown, or the output is gone, and all turns are over. The code is 0
// in every case but a defect.
func Serve(ctx context.Context, cfg Config) int {
	c := newConn(ctx, cfg)
	defer c.out.Close()
	return c.run()
}

// run serves until the connection ends. The exit code is that of the reader, whatever the output does, but for a
// session that could not be saved.
func (c *conn) run() int {
	end := c.server.Run()
	if end.By != dialect.InputEnded {
		return c.out.SavedCode(dialect.ExitOK)
	}
	return c.out.SavedCode(end.Code)
}

func newConn(ctx context.Context, cfg Config) *conn {
	if cfg.NewID == nil {
		cfg.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	c := &conn{cfg: cfg, out: dialect.OpenOutput(cfg.In, cfg.Out, outBound, cfg.Log), sessions: map[string]*session{}, name: profile}
	c.replies, c.pumping, c.blocking = dialect.NewReplies(c.out), dialect.NewGroup(c.out), dialect.NewAnswers(c.out)
	c.life, c.end = context.WithCancel(ctx)
	c.delivery.Store(deliveryOf(cfg.Flags.Format, ""))
	c.server = &dialect.Server{
		In: cfg.In, Limit: lineLimit, Out: c.out, Log: cfg.Log, Stop: cfg.Stop, Lock: &c.mu,
		Guard:   c.guard(),
		Handle:  func(line []byte) bool { return c.handleLine(ctx, line) },
		TooLong: func(beginning []byte) { c.refuse(refuseLong(beginning)) },
		Finish: func(end dialect.End) {
			if end.By == dialect.Stopped && !c.notified {
				c.notifyEnd(c.cfg.Signal())
			}
			c.finish(ctx)
		},
	}
	return c
}

// deliveryOf returns the delivery that belongs to a format, with a scope that was asked for.
func deliveryOf(format EventFormat, scope EventScope) *delivery {
	m := &delivery{format: format, scope: scope, fixed: scope != ""}
	if format == "" {
		m.format = FormatFlat
	}
	if scope == "" {
		m.scope = ScopeTurn
		if m.format == FormatEnvelope {
			m.scope = ScopeAll
		}
	}
	return m
}

// notifyEnd sends the reason of the end. Requests have sent their state.changed before; c.mu is held.
func (c *conn) notifyEnd(reason string) {
	c.notified = true
	c.changed(reason, "")
}

// finish interrupts every turn, waits for its end, and gives everything back. Requests that
// still wait get an error.
func (c *conn) finish(ctx context.Context) {
	c.end()
	for _, s := range c.sessions {
		if s.chat.client.EndsSession() {
			s.takeBack(c.cfg.Log)
			s.chat.client.Interrupt()
		}
	}
	for _, s := range c.sessions {
		s.leave(ctx, c.cfg.Log)
	}
	c.pumping.Wait()
	c.mu.Unlock() // those that end now may want to look something up
	c.blocking.Wait()
	c.mu.Lock()
}

// handleLine does what one line asks for; false: it was the last.
func (c *conn) handleLine(ctx context.Context, line []byte) (more bool) {
	message, refused := decode(line)
	if refused != nil {
		c.refuse(refused)
		return true
	}
	if r, ok := message.(request); ok {
		return c.handle(ctx, r)
	}
	return true
}

func (c *conn) refuse(r *refusal) { c.replies.Post(unsplit(frames.AppendError(nil, r.id, r.err))) }

func (c *conn) reply(id jsonrpc.ID, result any) { c.replies.Post(resultLine(id, result)) }

func (c *conn) fail(id jsonrpc.ID, err error) { c.replies.Post(c.failLine(id, err)) }

func (c *conn) failLine(id jsonrpc.ID, err error) []byte {
	e := wireError(err)
	if e.Code == jsonrpc.CodeInternalError {
		c.cfg.Log.Info("request failed", "error", err)
	}
	return unsplit(frames.AppendError(nil, id, e))
}

func resultLine(id jsonrpc.ID, result any) []byte {
	return unsplit(frames.AppendResult(nil, id, value(result)))
}

// line returns an event as the client wants it; nil: it wants none such.
func (c *conn) line(s signal) []byte {
	m := c.delivery.Load()
	if s.all && m.scope != ScopeAll || s.debug && !c.debug.Load() {
		return nil
	}
	params := value(s.params)
	if m.format == FormatFlat {
		return unsplit(frames.AppendNotification(nil, s.name, params))
	}
	return unsplit(frames.AppendNotification(nil, MethodEvent, value(EventEnvelope{s.name, stamp(c.cfg.Now()), params})))
}

func (c *conn) lines(signals ...signal) [][]byte {
	var lines [][]byte
	for _, s := range signals {
		if line := c.line(s); line != nil {
			lines = append(lines, line)
		}
	}
	return lines
}

// changed notifies clients of the scope all of a change that is not of one session.
func (c *conn) changed(reason, session string) {
	for _, line := range c.lines(signal{name: EventStateChanged, params: StateChanged{reason, session, c.state()}, all: true}) {
		c.replies.Post(line)
	}
}

// later answers a request whose answer takes a while: others are handled meanwhile. When
// the process ends first, that is the answer.
func (c *conn) later(id jsonrpc.ID, work func(ctx context.Context) (any, error)) {
	c.blocking.Go(func() { c.replies.Post(c.outcome(id, work)) })
}

// outcome returns the answer that comes of work.
func (c *conn) outcome(id jsonrpc.ID, work func(ctx context.Context) (any, error)) []byte {
	result, err := func() (result any, err error) {
		defer func() {
			if p := recover(); p != nil {
				c.cfg.Log.Error("panic in request", "panic", p, "stack", string(debug.Stack()))
				err = errors.New("internal error")
			}
		}()
		return work(c.life)
	}()
	switch {
	case err == nil:
		return resultLine(id, result)
	case c.life.Err() != nil:
		err = errShuttingDown
	}
	return c.failLine(id, err)
}
