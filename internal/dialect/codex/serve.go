package codex

import (
	"context"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/wire/jsonrpc"
)

const (
	lineLimit = 64 << 20 // bytes of an inbound line
	outBound  = 1 << 20  // bytes that wait for a slow client before the pumps wait
)

// Config is what a connection works with.
type Config struct {
	Host    *engine.Host // its Config.Sharing is Sharing
	Process *Process     // shared by the connections of a process
	Parts
	In      io.Reader
	Out     io.Writer // nothing else may write to it
	Log     *slog.Logger
	Version string // of this program
	Home    string // the state folder
	Flags   Flags
	NewID   func() string    // of threads, turns and prompts; default: UUIDs, version 7
	Now     func() time.Time // default: time.Now
	Stop    <-chan struct{}  // asks for the end
	// PromptsOnly is that threads with a goal begin no turns by themselves.
	PromptsOnly bool
	// Leaves is that turns go on when the connection ends, and what they ask waits for another client.
	Leaves bool
	// Rights is what the client may do; nil: it is the user.
	Rights *rights.Client
}

// Sharing is how a host shares sessions for this protocol: a thread that its clients have left waits for one, and is closed after a
// time without work. Idle threads keep no files open, and other processes get them.
func Sharing() *engine.Sharing {
	return &engine.Sharing{Left: engine.WaitWhenLeft, Idle: idleTime, HandOver: true}
}

// idleTime is how long a thread without clients and work stays loaded.
const idleTime = 30 * time.Minute

// A conn is one client, with any number of threads.
type conn struct {
	cfg       Config
	out       *dialect.Output
	server    *dialect.Server
	answering *dialect.Group  // requests whose answer takes a while
	pumping   *dialect.Group  // one pump a thread, and what answers later
	life      context.Context // ends with the connection

	programs engine.ProgramSet // of command/exec
	output   programOutput     // of programs
	watches  fileWatches

	mu           lock.Mutex // held while a line is handled, and to take everything down
	ready        bool       // the client has initialized
	client       ClientInfo
	experimental bool
	silent       map[string]bool
	searches     map[string]*engine.FileIndex // of fuzzyFileSearch, by session
	threads      map[string]*thread           // that it subscribes to
	asked        *appserver.Questions[asked]
	calls        dynamicCalls
}

// Serve speaks to one client and returns the exit code. It returns when the input has ended, or Stop, or the output is
// gone, and what ends with the connection has ended.
func Serve(ctx context.Context, cfg Config) int {
	if cfg.NewID == nil {
		cfg.NewID = newID
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Process == nil {
		cfg.Process = NewProcess()
	}
	c := &conn{
		cfg: cfg, out: dialect.OpenOutput(cfg.In, cfg.Out, outBound, cfg.Log), threads: map[string]*thread{}, asked: appserver.NewQuestions[asked](0),
	}
	c.output.out, c.pumping, c.answering = c.out, dialect.NewGroup(c.out), dialect.NewAnswers(c.out)
	defer c.out.Close()
	var end context.CancelFunc
	c.life, end = context.WithCancel(ctx)
	defer end()
	c.server = &dialect.Server{
		In: cfg.In, Limit: lineLimit, Out: c.out, Log: cfg.Log, Stop: cfg.Stop, Lock: &c.mu,
		Guard:   c.guard(),
		Handle:  func(line []byte) bool { c.handleLine(ctx, line); return true },
		TooLong: func([]byte) { c.out.Post(errorLine(jsonrpc.Null, invalid("message too large"))) },
		Finish:  func(dialect.End) { end(); c.finish(ctx) },
	}
	return dialect.ExitCode(c.server.Run().Code, c.out)
}

// finish leaves the threads. Their turns are interrupted, unless they go on without the connection.
func (c *conn) finish(ctx context.Context) {
	c.cfg.Process.leave(c)
	c.calls.endAll()
	if err := c.watches.close(); err != nil {
		c.cfg.Log.Error("watches not ended", "error", err)
	}
	if !c.cfg.Leaves {
		for _, t := range c.threads {
			t.session.Queue().Hold() // the session ends, and what others have queued begins when it is opened again
			if err := t.client.WithdrawSteers(); err != nil {
				c.cfg.Log.Warn("steers not removed", "thread", t.id, "error", err)
			}
			t.session.Join(engine.ClientInfo{}).Interrupt() // not by the user
			t.client.StopCommand("")
		}
		for _, t := range c.threads {
			_ = t.session.Wait(ctx) // an interrupt ends it
			t.compacts.Wait()       // its end is recorded after that
		}
	}
	for _, t := range c.threads {
		c.leave(ctx, t)
	}
	c.pumping.Wait()
	c.answering.Wait()
}

// handleLine does what one line asks for. What is no message is dropped: clients of this protocol expect no answer.
func (c *conn) handleLine(ctx context.Context, line []byte) {
	f, bad := jsonrpc.Parse(line, frames)
	switch {
	case bad != nil:
		c.cfg.Log.Debug("line dropped", "kind", bad.Kind, "detail", bad.Detail)
	case f.Kind == jsonrpc.Request:
		c.handle(ctx, request{f.ID, f.Method, f.Params})
	case f.Kind == jsonrpc.Response:
		c.decide(response{f.ID, f.Result, f.Error})
	}
}

// handle answers one request. Whatever goes wrong inside is the answer to that request.
func (c *conn) handle(ctx context.Context, r request) {
	defer func() {
		if p := recover(); p != nil {
			c.cfg.Log.Error("panic in request", "method", r.method, "panic", p, "stack", string(debug.Stack()))
			c.out.Post(errorLine(r.id, internalError()))
		}
	}()
	if first := r.method == "initialize"; first == c.ready {
		refused := errNotInitialized
		if first {
			refused = errInitialized
		}
		c.out.Post(errorLine(r.id, refused))
		return
	}
	h, refused := c.find(r)
	if refused != nil {
		c.out.Post(errorLine(r.id, refused))
		return
	}
	params, err := h.decode(r.params)
	if err != nil {
		c.out.Post(errorLine(r.id, paramsError(err)))
		return
	}
	h.answer(c, ctx, r.id, params)
}

func (c *conn) reply(id jsonrpc.ID, result any) { c.out.Post(resultLine(id, result)) }

// fail answers a request about a thread, if any, that cannot be done.
func (c *conn) fail(id jsonrpc.ID, thread string, err error) { c.out.Post(c.failLine(id, thread, err)) }

func (c *conn) failLine(id jsonrpc.ID, thread string, err error) []byte {
	e := failure(thread, err)
	if e.Code == jsonrpc.CodeInternalError {
		c.cfg.Log.Error("request failed", "thread", thread, "error", err)
	}
	return errorLine(id, e)
}

// announce returns the line of a notification, or none if the client does not want it.
func (c *conn) announce(method string, params any) [][]byte {
	if c.silent[method] {
		return nil
	}
	return [][]byte{notice{method, params}.encode(c.cfg.Now())}
}
