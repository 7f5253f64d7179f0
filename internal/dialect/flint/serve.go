package flint

import (
	"context"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire"
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
}

// A conn is the one client of a process, with any number of threads.
type conn struct {
	cfg     Config
	out     *wire.Outbox
	ended   chan int       // the exit code, at the end of input
	closing atomic.Bool    // what is still read comes too late
	pumping sync.WaitGroup // one pump a thread

	mu      sync.Mutex // held while a line is handled, and to take everything down
	ready   bool       // the client has initialized
	silent  map[string]bool
	threads map[string]*thread
	last    *thread // most recently started, resumed or run
	chosen  map[*adapter]map[string]string
	asked   questions
}

// Serve speaks to one client and returns the exit code. It returns when the input has
// ended, or Stop, or the output is gone, and all turns are over.
func Serve(ctx context.Context, cfg Config) int {
	if cfg.NewID == nil {
		cfg.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	writer := wire.NewWriter(cfg.Out)
	c := &conn{
		cfg: cfg, out: wire.NewOutbox(writer, outBound), ended: make(chan int, 2),
		threads: map[string]*thread{}, chosen: map[*adapter]map[string]string{}, asked: newQuestions(),
	}
	defer c.out.Close()
	return c.run(ctx, writer.Gone())
}

// run serves until the end of input, Stop, or a lost output; then it ends what is open.
func (c *conn) run(ctx context.Context, gone <-chan struct{}) int {
	go func() {
		c.ended <- dialect.Input{
			From: c.cfg.In, Limit: lineLimit, Log: c.cfg.Log,
			Handle:  func(line []byte) bool { return c.handleLine(ctx, line) },
			TooLong: func() { c.refuse(refuseLong()) },
		}.Read()
	}()
	code, hurry := dialect.ExitOK, true
	select {
	case code = <-c.ended:
		hurry = code != dialect.ExitOK
	case <-gone:
		c.cfg.Log.Error("the client's end of stdout is gone")
		code = dialect.ExitFailed
	case <-c.cfg.Stop:
	}
	c.closing.Store(true)
	c.mu.Lock() // what is being handled is the last
	defer c.mu.Unlock()
	if hurry {
		c.interruptAll()
	}
	c.finish(ctx, gone)
	c.pumping.Wait()
	c.out.Close()
	return dialect.ExitCode(code, gone)
}

func (c *conn) interruptAll() {
	for _, t := range c.threads {
		t.session.Interrupt()
	}
}

// finish lets the running turns come to their end, unless Stop asks for more haste, or
// nobody listens any more. Approvals are denied: there is nobody to give them.
func (c *conn) finish(ctx context.Context, gone <-chan struct{}) {
	for _, t := range c.threads {
		t.detach()
	}
	dialect.Await(func() {
		for _, t := range c.threads {
			_ = t.session.Wait(ctx)
		}
	}, c.interruptAll, gone, c.cfg.Stop)
	for _, t := range c.threads {
		if err := t.session.Close(ctx); err != nil {
			c.cfg.Log.Error("thread not saved", "thread", t.id, "error", err)
		}
	}
}

// handleLine does what one line asks for; false: it came too late.
func (c *conn) handleLine(ctx context.Context, line []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing.Load() {
		return false
	}
	message, refused := decode(line)
	if refused != nil {
		if !c.ready && refused.method != "" && refused.method != "initialize" {
			refused.err = errNotInitialized
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
	c.ready = true
	c.silent = map[string]bool{}
	for _, method := range p.Capabilities.OptOutNotificationMethods {
		c.silent[method] = method != "turn/completed"
	}
	info, _ := c.cfg.Host.ModelInfo(c.defaultModel())
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
