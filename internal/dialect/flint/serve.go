package flint

import (
	"context"
	"io"
	"log/slog"
	"runtime/debug"

	"github.com/google/uuid"

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
	Host    *engine.Host
	In      io.Reader
	Out     io.Writer // nothing else may write to it
	Log     *slog.Logger
	Version string
	Flags   Flags
	NewID   func() string   // of threads and turns; default: UUIDs, version 7
	Stop    <-chan struct{} // asks for an interrupt and then a shutdown
	Rights  *rights.Client  // nil: the client is the user
}

// A conn is the one client of a process, with any number of threads.
type conn struct {
	cfg     Config
	out     *dialect.Output
	server  *dialect.Server
	pumping *dialect.Group // one pump a thread

	mu      lock.Mutex // held while a line is handled, and to take everything down
	ready   bool       // the client has initialized
	name    string     // of the client
	silent  map[string]bool
	threads map[string]*thread
	last    *thread // most recently started, resumed or run
	chosen  map[*adapter]map[string]string
	asked   *appserver.Questions[asked]
}

// Serve speaks to one client and returns the exit code. It returns when the input has
// ended, or Stop, or the output is gone, and all turns are over.
func Serve(ctx context.Context, cfg Config) int {
	if cfg.NewID == nil {
		cfg.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	c := &conn{
		cfg: cfg, out: dialect.OpenOutput(cfg.In, cfg.Out, outBound, cfg.Log),
		threads: map[string]*thread{}, chosen: map[*adapter]map[string]string{}, asked: appserver.NewQuestions[asked](firstQuestion),
	}
	c.pumping = dialect.NewGroup(c.out)
	defer c.out.Close()
	c.server = &dialect.Server{
		In: cfg.In, Limit: lineLimit, Out: c.out, Log: cfg.Log, Stop: cfg.Stop, Lock: &c.mu,
		Guard:   c.guard(),
		Handle:  func(line []byte) bool { return c.handleLine(ctx, line) },
		TooLong: func(beginning []byte) { c.refuse(refuseLong(beginning)) },
		Finish:  func(end dialect.End) { c.finish(ctx, end) },
	}
	return dialect.ExitCode(c.server.Run().Code, c.out)
}

// finish lets the running turns come to their end, unless the connection was stopped or the client
// does not read any more. Approvals are denied if no other client can give them.
func (c *conn) finish(ctx context.Context, end dialect.End) {
	if end.By == dialect.OutputGone {
		c.cfg.Log.Error("the client's end of stdout is gone")
	}
	leaving := dialect.Leaving{Graceful: end.Graceful(), Out: c.out, Stop: c.cfg.Stop, Log: c.cfg.Log}
	for _, t := range c.threads {
		leaving.Members = append(leaving.Members, dialect.Member{Session: t.session, Client: t.client, Pump: t.pump})
	}
	leaving.Do(ctx)
	c.pumping.Wait()
}

// handleLine does what one line asks for.
func (c *conn) handleLine(ctx context.Context, line []byte) (more bool) {
	message, refused := decode(line)
	if refused != nil {
		if !c.ready && refused.method != "" && refused.method != "initialize" {
			refused.err = errNotInitialized
		}
		if c.ready && refused.method == "initialize" {
			refused.err = errInitialized
		}
		c.refuse(refused)
		return true
	}
	switch m := message.(type) {
	case request:
		c.handle(ctx, m)
	case response:
		c.decide(m)
	}
	return true
}

// handle answers one request. Whatever goes wrong inside is the answer to that request.
func (c *conn) handle(ctx context.Context, r request) {
	defer func() {
		if p := recover(); p != nil {
			c.cfg.Log.Error("panic in request", "method", r.method, "panic", p, "stack", string(debug.Stack()))
			c.out.Post(errorLine(r.id, internalError()))
		}
	}()
	if _, first := r.params.(*InitializeParams); first == c.ready {
		refused := errNotInitialized
		if first {
			refused = errInitialized
		}
		c.out.Post(errorLine(r.id, refused))
		return
	}
	switch p := r.params.(type) {
	case *InitializeParams:
		c.initialize(r.id, p)
	case *ThreadStartParams:
		c.threadStart(ctx, r.id, p)
	case *ThreadResumeParams:
		c.threadResume(ctx, r.id, p)
	case *ThreadListParams:
		c.threadList(ctx, r.id, p)
	case *ThreadArchiveParams:
		c.threadArchive(ctx, r.id, p)
	case *TurnStartParams:
		c.turnStart(ctx, r.id, p)
	case *TurnInterruptParams:
		c.turnInterrupt(ctx, r.id, p)
	case *ModelListParams:
		c.modelList(ctx, r.id, p)
	case *ConfigListParams:
		c.reply(r.id, ConfigListResult{c.configOptions(c.last)})
	case *ConfigSetParams:
		c.configSet(r.id, p)
	case *ConfigReadParams:
		c.reply(r.id, c.configRead())
	}
}

// initialize opens the connection.
func (c *conn) initialize(id jsonrpc.ID, p *InitializeParams) {
	c.ready, c.name = true, p.ClientInfo.Name
	c.silent = map[string]bool{}
	for _, method := range p.Capabilities.OptOutNotificationMethods {
		c.silent[method] = method != "turn/completed"
	}
	info, _ := c.cfg.Host.DescribeModel(c.defaultModel())
	c.reply(id, InitializeResult{
		AgentInfo{"parley", c.cfg.Version, info.Provider},
		AgentCapabilities{Streaming: true, ConfigOptions: len(c.configOptions(nil)) > 0, Reasoning: true, Plans: true},
	})
}

func (c *conn) reply(id jsonrpc.ID, result any) { c.out.Post(resultLine(id, result)) }

// fail answers a request about a thread, if any, that cannot be done.
func (c *conn) fail(id jsonrpc.ID, thread string, err error) {
	c.out.Post(c.failLine(id, thread, err))
}

func (c *conn) failLine(id jsonrpc.ID, thread string, err error) []byte {
	e := failure(thread, err)
	if e.Code == jsonrpc.CodeInternalError {
		c.cfg.Log.Error("request failed", "thread", thread, "error", err)
	}
	return errorLine(id, e)
}

func (c *conn) refuse(r *refusal) { c.out.Post(errorLine(r.id, r.err)) }

// announce sends a notification that no record causes.
func (c *conn) announce(n notice) {
	if !c.silent[n.method] {
		c.out.Post(n.encode())
	}
}
