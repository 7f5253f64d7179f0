package acp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire/jsonrpc"
)

const outBound = 1 << 20 // bytes that wait for a slow client before the pumps wait

// Config is what a connection works with.
type Config struct {
	Host    *engine.Host
	In      io.Reader
	Out     io.Writer // nothing else may write to it
	Log     *slog.Logger
	Version string
	Flags   Flags
	SignIn  SignIn           // nil: the configuration names none
	NewID   func() string    // of prompts; default: UUIDs, version 7
	Now     func() time.Time // default: time.Now
	Stop    <-chan struct{}  // asks for an interrupt and then a shutdown
	Rights  *rights.Client   // nil: the client is the user
}

// A conn is the one client of a process, with any number of sessions.
type conn struct {
	cfg       Config
	out       *dialect.Output
	replies   *dialect.Replies // of all sessions, so that immediate answers come in order
	server    *dialect.Server
	life      context.Context // until the connection ends
	end       context.CancelFunc
	answering *dialect.Group // requests that later answers
	working   *dialect.Group // requests whose answer takes a while, and pumps

	mu          lock.Mutex // held while a line is handled, and to take everything down
	initialized bool
	edition     edition
	client      engine.ClientInfo
	caps        ClientCapabilities
	forms       atomic.Bool // the client can show forms
	sessions    map[event.SessionID]*session
	loading     map[event.SessionID]bool          // sessions that are being opened again: requests to them are refused
	exclusive   map[event.SessionID]chan struct{} // what is being done with sessions that are not open here; closed after it

	byMessage messageSignIn

	running  *running  // requests of the client that are not answered yet and can be cancelled
	requests *requests // requests to the client that are not answered yet
	models   *models
}

// Serve speaks to one client and returns the exit code. It returns when the input has ended, or Stop, or the output is
// gone, and all turns are over: they are interrupted.
func Serve(ctx context.Context, cfg Config) int {
	if cfg.NewID == nil {
		cfg.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	c := &conn{
		cfg: cfg, out: dialect.OpenOutput(cfg.In, cfg.Out, outBound, cfg.Log), client: dialect.ClientInfo(profile),
		sessions: map[event.SessionID]*session{}, loading: map[event.SessionID]bool{}, exclusive: map[event.SessionID]chan struct{}{},
		edition: edition1{}, running: newRunning(), requests: newRequests(), models: newModels(cfg.Host),
	}
	c.client.RunFollowUps = true
	defer c.out.Close()
	c.replies, c.working, c.answering = dialect.NewReplies(c.out), dialect.NewGroup(c.out), dialect.NewAnswers(c.out)
	c.life, c.end = context.WithCancel(ctx)
	defer c.end()
	c.server = &dialect.Server{
		In: cfg.In, Limit: lineLimit, Out: c.out, Log: cfg.Log, Stop: cfg.Stop, Lock: &c.mu,
		Guard:   c.guard(),
		Handle:  func(line []byte) bool { c.handleLine(ctx, line); return true },
		TooLong: func([]byte) { c.fail(jsonrpc.Null, errLong) },
		Finish:  func(end dialect.End) { c.finish(ctx, end) },
	}
	return dialect.ExitCode(c.server.Run().Code, c.out)
}

// finish interrupts what runs. After a signal the open prompts are answered.
func (c *conn) finish(ctx context.Context, end dialect.End) {
	if end.By == dialect.OutputGone {
		c.cfg.Log.Error("the client's end of stdout is gone")
	}
	c.requests.close()
	c.end()
	leaving := dialect.Leaving{Out: c.out, Stop: c.cfg.Stop, Log: c.cfg.Log}
	byEngine := map[*engine.Session]*session{}
	for _, s := range c.sessions {
		byEngine[s.eng] = s
		leaving.Members = append(leaving.Members, dialect.Member{Session: s.eng, Client: s.client, Pump: s.pump})
	}
	leaving.Interrupt = func(m dialect.Member) { byEngine[m.Session].stop() }
	leaving.Do(ctx)
	for _, s := range byEngine {
		s.resume()
	}
	c.mu.Unlock() // those that end now may want to look something up
	c.working.Wait()
	c.answering.Wait()
	c.mu.Lock()
}

// handleLine does what one line asks for.
func (c *conn) handleLine(ctx context.Context, line []byte) {
	f, invalid := jsonrpc.Parse(line, frames)
	switch {
	case invalid == nil:
		c.handleFrame(ctx, f)
	case invalid.Kind == jsonrpc.Batch && c.edition.batches():
		c.handleBatch(ctx, line)
	default:
		c.fail(jsonrpc.Null, lineError(invalid))
	}
}

// handleBatch handles the messages of a line one after the other. Each is answered by itself.
func (c *conn) handleBatch(ctx context.Context, line []byte) {
	var messages []jsontext.Value
	if err := json.Unmarshal(line, &messages); err != nil || len(messages) == 0 {
		c.fail(jsonrpc.Null, failure(jsonrpc.CodeInvalidRequest, "A batch has at least one message", ErrorData{}))
		return
	}
	for _, message := range messages {
		f, invalid := jsonrpc.Parse(message, frames)
		if invalid != nil {
			c.fail(jsonrpc.Null, lineError(invalid))
			continue
		}
		c.handleFrame(ctx, f)
	}
}

func (c *conn) handleFrame(ctx context.Context, f jsonrpc.Frame) {
	switch f.Kind {
	case jsonrpc.Response:
		c.requests.answer(f)
	case jsonrpc.Notification:
		c.note(ctx, f)
	default:
		c.handle(ctx, f)
	}
}

// handle answers a request. Whatever goes wrong inside is the answer to it.
func (c *conn) handle(ctx context.Context, f jsonrpc.Frame) {
	defer func() {
		if p := recover(); p != nil {
			c.cfg.Log.Error("panic in request", "method", f.Method, "panic", p, "stack", string(debug.Stack()))
			c.fail(f.ID, errInternal)
		}
	}()
	if !c.initialized && f.Method != "initialize" {
		c.fail(f.ID, errNotInitialized)
		return
	}
	if f.Method == "initialize" {
		c.choose(f)
	}
	methods := c.edition.methods()
	m, known := methods.find(f.Method, c.cfg.Flags)
	if !known || m.note {
		c.fail(f.ID, noMethod(f.Method))
		return
	}
	params, err := methods.params.Params(f, frames)
	if err != nil {
		c.fail(f.ID, paramsError(f.Method, err))
		return
	}
	m.handle(c, ctx, f.ID, params)
}

// note does what a notification asks for. One that is unknown, unusable or too early is ignored.
func (c *conn) note(ctx context.Context, f jsonrpc.Frame) {
	defer func() {
		if p := recover(); p != nil {
			c.cfg.Log.Error("panic in notification", "method", f.Method, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	methods := c.edition.methods()
	m, known := methods.find(f.Method, c.cfg.Flags)
	if !c.initialized || !known || !m.note {
		return
	}
	if params, err := methods.params.Params(f, frames); err == nil {
		m.handle(c, ctx, "", params)
	}
}

func (c *conn) reply(id jsonrpc.ID, result any) { c.replies.Post(c.resultLine(id, result)) }

func (c *conn) fail(id jsonrpc.ID, err error) { c.failIn("", id, err) }

// failIn answers a request about a session that cannot be done.
func (c *conn) failIn(session string, id jsonrpc.ID, err error) {
	c.replies.Post(c.failLine(session, id, err))
}

func (c *conn) failLine(session string, id jsonrpc.ID, err error) []byte {
	return errorLine(id, c.failureOf(session, err))
}

// failureOf returns the error of a request about a session that cannot be done.
func (c *conn) failureOf(session string, err error) *jsonrpc.Error {
	e := wireError(session, err)
	if failed, ok := errors.AsType[*model.Error](err); ok && c.cfg.SignIn != nil && failureKind(string(failed.Kind)) == "auth" {
		e.Code = CodeAuthRequired
	}
	if e.Code == jsonrpc.CodeInternalError {
		c.cfg.Log.Error("request failed", "session", session, "error", err)
	}
	return e
}
