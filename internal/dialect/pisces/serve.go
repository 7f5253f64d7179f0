package pisces

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/extension"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/skill"
)

const (
	lineLimit = 64 << 20 // bytes of an inbound line
	outBound  = 1 << 20  // bytes that wait for a slow client before the pump waits
	backlog   = 1024     // commands that wait for those before them before the reader waits
)

// Config is what a connection works with.
type Config struct {
	Host     *engine.Host
	In       io.Reader
	Out      io.Writer // nothing else may write to it
	Log      *slog.Logger
	Flags    Flags
	Settings *Settings
	// Page writes a session as an HTML page.
	Page func(ctx context.Context, w io.Writer, title string, records iter.Seq2[event.Record, error], blob func(address string) ([]byte, error)) error
	// BaseURL is where a provider's models are asked.
	BaseURL func(provider string) string
	Skills  func() skill.Places // where skills are looked for
	// Extensions starts the extensions that there are; nil, or what it returns: there are none.
	Extensions func(ctx context.Context, s extension.Session) *extension.Host
	Now        func() time.Time // default: time.Now
	Random     func() uint32    // of ids; default: math/rand/v2
	Stop       <-chan struct{}  // asks for an interrupt and then the end
	Rights     *rights.Client   // nil: the client is the user
}

// A conn is the one client of a process. It has one session at a time.
type conn struct {
	cfg       Config
	out       *dialect.Output
	life      context.Context // ends what is done beside the commands
	end       context.CancelFunc
	server    *dialect.Server
	answering *dialect.Group // commands that aside does
	beside    *dialect.Group // commands that are done beside the others

	mu      lock.Mutex // held while a command is done, and to take everything down
	closing bool
	session *session
	files   map[event.SessionID]string // of the sessions that were opened: where their files are
	budget  *engine.Budget             // of all its sessions together

	filter atomic.Pointer[map[string]bool] // types of the events that are sent; nil: all

	shell userShell // of the user
	rules *rules
	ext   *extensions
	host  hostTools
}

// Serve speaks to one client and returns the exit code. It returns when the input has ended,
// or Stop, or the output is gone, and nothing runs any more. The error is why there is no
// session; then nothing was said.
func Serve(ctx context.Context, cfg Config) (code int, err error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Random == nil {
		cfg.Random = rand.Uint32
	}
	if err := cfg.Settings.Check(); err != nil {
		return dialect.ExitFailed, err
	}
	c := &conn{files: map[event.SessionID]string{}, rules: readRules(cfg), cfg: cfg, out: dialect.OpenOutput(cfg.In, cfg.Out, outBound, cfg.Log)}
	c.ext, c.host.c, c.beside, c.answering = &extensions{c: c}, c, dialect.NewGroup(c.out), dialect.NewAnswers(c.out)
	c.life, c.end = context.WithCancel(ctx)
	defer c.end()
	defer c.out.Close()
	c.budget = engine.NewBudget(c.budgetPlan())
	watching := dialect.NewGroup(c.out)
	watching.Go(func() { // a session file may be long
		select {
		case <-cfg.Stop:
			c.end()
		case <-c.life.Done():
		}
	})
	var s *session
	first, err := c.first(ctx)
	if err == nil {
		s, err = c.join(ctx, first)
	}
	if err != nil && c.life.Err() != nil {
		return dialect.ExitOK, nil
	}
	if err != nil {
		return dialect.ExitFailed, err
	}
	c.out.Post(encode(Ready{}))
	c.enter(s, c.cfg.Flags.Session != "")
	return c.run(ctx), nil
}

// run serves until the end of input, Stop, or a lost output; then it ends what is open.
func (c *conn) run(ctx context.Context) int {
	waiting, done := make(chan any, backlog), make(chan struct{})
	c.server = &dialect.Server{
		In: c.cfg.In, Limit: lineLimit, Out: c.out, Log: c.cfg.Log, Stop: c.cfg.Stop,
		Guard:   c.guard(waiting),
		Handle:  func(line []byte) bool { return c.take(line, waiting) },
		TooLong: func([]byte) { c.wait(refuse("the line is longer than 64 MiB"), waiting) },
		InputEnded: func() {
			c.out.Expire()             // also if a command before the end waits for the client to read
			c.ext.dialogs.settle(true) // no client answers any more
			c.host.close()
			close(waiting)
			<-done
		},
		Finish: func(dialect.End) { c.finish(ctx) },
	}
	doing := dialect.NewGroup(c.out)
	doing.Go(func() {
		defer close(done)
		c.doAll(ctx, waiting)
	})
	code := c.server.Run().Code
	return c.out.SavedCode(code)
}

// finish ends what is open.
func (c *conn) finish(ctx context.Context) {
	c.end()
	c.mu.Lock() // what is being done is the last
	defer c.mu.Unlock()
	c.closing = true
	c.session.halt(ctx)
	c.ext.close()
	c.session.leave(ctx)
	c.beside.Wait()
	c.answering.Wait()
}

// take reads a line, and never waits for what it asks for, but for a client that asks for far
// too much; false: nothing is read any more.
func (c *conn) take(line []byte, waiting chan<- any) bool {
	message, refused := decode(line)
	if c.host.take(message, refused) {
		return true
	}
	if refused != nil && c.cfg.Flags.ErrorIDs {
		refused = identify(line, refused)
	}
	if refused != nil {
		message = refused
	}
	if answer, isAnswer := message.(ExtensionUIResponse); isAnswer {
		c.ext.dialogs.answer(answer)
		return true
	}
	if m, isCommand := message.(command); isCommand {
		m.identified = m.identified || c.cfg.Flags.ErrorIDs
		message = m
	}
	if m, isCommand := message.(command); isCommand && (m.name == CommandAbort || m.name == CommandAbortAndPrompt) {
		c.ext.interrupt() // now: the command before may wait for a dialog
	}
	return c.wait(message, waiting)
}

func (c *conn) wait(message any, waiting chan<- any) bool {
	select {
	case waiting <- message:
		return true
	case <-c.life.Done():
		return false
	}
}

// doAll does one command after the other.
func (c *conn) doAll(ctx context.Context, waiting <-chan any) {
	defer func() {
		if p := recover(); p != nil {
			c.cfg.Log.Error("internal error", "panic", p, "stack", string(debug.Stack()))
			c.server.End(dialect.ExitInternal)
		}
	}()
	c.begin()
	for message := range waiting {
		if !c.do(ctx, message) {
			return
		}
	}
}

// begin starts the extensions. Commands wait, answers to dialogs do not.
func (c *conn) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closing {
		c.ext.begin(c.life)
	}
}

// do answers a line; false: it comes too late.
func (c *conn) do(ctx context.Context, message any) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return false
	}
	switch m := message.(type) {
	case *Response:
		c.session.pump.Reply(encode(*m))
	case command:
		c.reopen(ctx)
		c.doCommand(ctx, m)
	}
	return true
}

// doCommand does what a command asks for. Whatever goes wrong inside is its answer.
func (c *conn) doCommand(ctx context.Context, m command) {
	defer func() {
		if p := recover(); p != nil {
			c.cfg.Log.Error("panic in command", "command", m.name, "panic", p, "stack", string(debug.Stack()))
			c.session.pump.Reply(outcome(m, nil, errors.New("internal error")))
		}
	}()
	c.handle(ctx, m)
}

// outcome returns the answer to a command that gave data, or failed.
func outcome(m command, data any, err error) []byte {
	if err == nil {
		return encode(Response{ID: m.id, Command: m.name, Success: true, Data: data})
	}
	if known, ok := errors.AsType[checkedError](err); ok {
		return encode(*failed(m, known.Error()))
	}
	if coded, ok := errors.AsType[codedError](err); ok {
		r := failed(m, coded.problem)
		r.Code = coded.code
		return encode(*r)
	}
	if errors.Is(err, engine.ErrBudget) || m.identified {
		return encode(*failed(m, problemOf(err)))
	}
	return encode(*refuse(problemOf(err)))
}

// reply answers after every event that is there now.
func (c *conn) reply(m command, data any, err error) {
	c.session.pump.Reply(outcome(m, data, err))
}

// aside does a command that takes a while; those after it are done meanwhile.
func (c *conn) aside(m command, work func(ctx context.Context) (any, error)) {
	s := c.session
	c.answering.Go(func() {
		data, err := guarded(c.cfg.Log, func() (any, error) { return work(c.life) })
		s.pump.Reply(outcome(m, data, err))
	})
}

// guarded makes an error of a panic.
func guarded(log *slog.Logger, work func() (any, error)) (data any, err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic in command", "panic", p, "stack", string(debug.Stack()))
			err = errors.New("internal error")
		}
	}()
	return work()
}

// A checkedError is a failure that is sent with the command's own ID.
type checkedError string

func (e checkedError) Error() string { return string(e) }

// codedError is a failure with a Response.Code.
type codedError struct{ code, problem string }

func (e codedError) Error() string { return e.problem }

func checked(text string) error { return checkedError(text) }
