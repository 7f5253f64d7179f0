package agentair

import (
	"context"
	"io"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/wire"
)

const (
	lineLimit = 16 << 20 // bytes of an inbound line
	outBound  = 1 << 20  // bytes that wait for a slow client before the pumps wait
)

// Config is what a connection works with.
type Config struct {
	Host    *engine.Host
	In      io.Reader
	Out     io.Writer // nothing else may write to it
	Log     *slog.Logger
	Version string
	Flags   Flags
	Now     func() time.Time // default: time.Now
	Stop    <-chan struct{}  // asks for an interrupt and then a shutdown
	Rights  *rights.Client   // nil: the client is the user
}

// A conn is the one client of a process, with any number of sessions.
type conn struct {
	cfg      Config
	out      *dialect.Output
	server   *dialect.Server
	leaving  atomic.Bool    // no client is left to be asked
	pumping  *dialect.Group // one pump a session
	commands *dialect.Group // commands that wait for a turn's end

	mu       lock.Mutex // held while a line is handled, and to take everything down
	sessions map[int64]*session
	last     int64 // id given out
	shutdown bool  // the client has asked for the end
	requests *openRequests
}

// Serve speaks to one client and returns the exit code. It returns when the input has
// ended, or Stop, or a Shutdown, or the output is gone, and all turns are over.
func Serve(ctx context.Context, cfg Config) int {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	c := &conn{cfg: cfg, out: dialect.OpenOutput(cfg.In, cfg.Out, outBound, cfg.Log), sessions: map[int64]*session{}, requests: newOpenRequests()}
	c.pumping, c.commands = dialect.NewGroup(c.out), dialect.NewGroup(c.out)
	defer c.out.Close()
	c.server = &dialect.Server{
		In: cfg.In, Limit: lineLimit, Out: c.out, Log: cfg.Log, Stop: cfg.Stop, Lock: &c.mu,
		Guard:    c.guard(),
		Handle:   func(line []byte) bool { return c.handleLine(ctx, line) },
		TooLong:  func([]byte) { c.post(malformedLong()) },
		Panicked: func(any) { c.post(Error{Message: "Internal error"}) },
		Finish: func(end dialect.End) {
			if end.By == dialect.OutputGone {
				c.cfg.Log.Error("the client's end of stdout is gone")
			}
			c.finish(ctx, !end.Graceful() || c.shutdown)
		},
	}
	c.firstSession(ctx)
	return dialect.ExitCode(c.server.Run().Code, c.out)
}

// RefuseStart writes the Error of a process that cannot serve at all.
func RefuseStart(w io.Writer, err error) {
	_ = wire.NewWriter(w).WriteLine(encode(Error{Message: err.Error()})) // nothing else reads it
}

// firstSession is there before anything is read, as clients of the library expect.
func (c *conn) firstSession(ctx context.Context) {
	if c.cfg.Flags.Resume != "" {
		if err := c.resume(ctx, c.cfg.Flags.Resume); err != nil {
			c.post(Error{Message: "Session 1 could not be opened: " + err.Error()})
		}
		return
	}
	if _, err := c.create(ctx, CreateSession{}); err != nil {
		c.post(Error{Message: "Session 1 could not be created: " + err.Error()})
	}
}

// finish ends what runs and waits: by an interrupt if hurry is set, Stop is closed, or the client does
// not read any more. Approvals and questions are cancelled: no client can answer them.
func (c *conn) finish(ctx context.Context, hurry bool) {
	c.leaving.Store(true)
	leaving := dialect.Leaving{
		Graceful: !hurry, Out: c.out, Stop: c.cfg.Stop, Log: c.cfg.Log,
		Beside: c.commands.Wait, // they start turns too
	}
	numbers := map[*engine.Session]*session{}
	for _, s := range c.sessions {
		numbers[s.eng] = s
		leaving.Members = append(leaving.Members, dialect.Member{Session: s.eng, Client: s.client, Pump: s.pump})
	}
	leaving.Interrupt = func(m dialect.Member) { c.interruptAll(numbers[m.Session]) }
	leaving.Do(ctx)
	c.pumping.Wait()
	if hurry {
		c.post(System{Message: "Shutting down"})
	}
}

// interruptAll ends what runs; what the client has waiting does not run any more. After the session was left, resume must be called.
func (c *conn) interruptAll(s *session) (resume func()) {
	s.jobs.drop()
	resume = dialect.TakeBack(dialect.Member{Session: s.eng, Client: s.client}, c.cfg.Log)
	s.client.Interrupt()
	return resume
}

// handleLine does what one line asks for; false: it was the last.
func (c *conn) handleLine(ctx context.Context, line []byte) (more bool) {
	message, refused := decode(line)
	if refused != nil {
		c.post(*refused)
		return true
	}
	return c.handle(ctx, message)
}

// handle does what a message asks for; false: it was the last.
func (c *conn) handle(ctx context.Context, message any) (more bool) {
	defer func() {
		if p := recover(); p != nil {
			c.cfg.Log.Error("panic in message", "panic", p, "stack", string(debug.Stack()))
			c.post(Error{Message: "Internal error"})
			more = true
		}
	}()
	switch m := message.(type) {
	case ControllerInput:
		return c.input(ctx, m)
	case PermissionResponse:
		c.permission(m)
	case BatchPermissionResponse:
		c.batchPermission(m)
	case UserInteractionResponse:
		c.interaction(m)
	case CancelPermission:
		c.cancelPermission(m.ToolUseID)
	case CancelBatchPermission:
		c.cancelBatch(m.BatchID)
	case CancelUserInteraction:
		c.cancelInteraction(m.ToolUseID)
	case Interrupt:
		c.withSession(ctx, m.SessionID, c.interrupt)
	case Clear:
		c.withSession(ctx, m.SessionID, c.clear)
	case Compact:
		c.withSession(ctx, m.SessionID, c.compact)
	case CreateSession:
		c.createSession(ctx, m)
	case RemoveSession:
		c.removeSession(ctx, m)
	case Shutdown:
		c.shutdown = true
		return false
	}
	return true
}

// post sends a message that belongs to no session's order.
func (c *conn) post(m UIMessage) { c.out.Post(encode(m)) }
