package native

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/wire/jsonrpc"
)

const outBound = 1 << 20 // bytes that wait for a slow client before the pumps wait

// Config is what a connection works with.
type Config struct {
	Host *engine.Host
	Info HostInfo
	// Store is where the sessions of the host are stored; the zero value: in files.
	Store StoreInfo
	Role  Role
	// Rights is what the client may do with that role; nil: it is the user, if the role is Owner.
	Rights *rights.Client
	In     io.Reader
	Out    io.Writer // nothing else may write to it
	Log    *slog.Logger
	Cwd    string // where relative workspaces begin
	// Settings are those of a new session, as far as its client sets no others.
	Settings event.Settings
	// Profile returns the options of the profile of that name; false: there is none.
	Profile func(name string) (engine.Options, bool)
	Stop    <-chan struct{} // asks for an interrupt and then the end
	Closing context.Context // ends when the host begins to close; nil: it does not
	Drain   time.Duration   // how long running turns may take then
	Clients func() int      // of the host; nil: there is this one
	Now     func() time.Time
	// MaxFollows is how many sessions the connection may follow at once; 0: 1,000.
	MaxFollows int
	Tokens     Tokens // nil: the methods of tokens are not there
	Export     Exporter
	// Servers reads tool servers as the configuration has them. An error names what is wrong; nil: a client can give none.
	Servers func(value []byte) ([]engine.Server, error)
	// Hosts reaches those that share the store; nil: none does, or the client is one of theirs.
	Hosts Hosts
	// Draining reports whether the host takes nothing new; nil: it does not.
	Draining func() bool
	// Audit is called with each request that only an owner may make, before it is done; nil: it is not.
	Audit func(method, session string)
}

// A conn is one client, with any number of sessions.
type conn struct {
	cfg        *Config
	out        *dialect.Output
	replies    *dialect.Replies // to requests that are of no open session
	server     *dialect.Server
	pumping    *dialect.Group
	blocking   *dialect.Group  // requests whose answer takes a while
	notifying  *dialect.Group  // of changes of sessions, until the connection ends
	relays     relays          // sessions of other hosts
	forgetting *dialect.Group  // sessions that were closed for all
	life       context.Context // until the connection ends
	end        context.CancelFunc
	hurried    context.Context // until it does not wait for turns any more
	endWait    context.CancelFunc

	mu          lock.Mutex // held while a line is handled, and to take everything down
	initialized bool
	client      engine.ClientInfo
	sessions    map[event.SessionID]*session
	watching    bool // the client is notified of all sessions
}

// Serve speaks to one client and returns the exit code. It returns when the input has ended and the running turns
// with it, or Stop asks, or the output is gone. It sets what is not set in cfg, which must not be used for another client.
func Serve(ctx context.Context, cfg *Config) int { return newConn(ctx, cfg).serve() }

// newConn returns the connection of a client, of which nothing is read yet.
func newConn(ctx context.Context, cfg *Config) *conn {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Rights == nil && cfg.Role != Owner {
		cfg.Rights = rights.New(string(cfg.Role), cfg.Host, nil)
	}
	if cfg.Store.Kind == "" {
		cfg.Store.Kind = "file"
	}
	c := &conn{cfg: cfg, out: dialect.OpenOutput(cfg.In, cfg.Out, outBound, cfg.Log), sessions: map[event.SessionID]*session{}}
	c.replies = dialect.NewReplies(c.out)
	c.pumping, c.forgetting, c.notifying = dialect.NewGroup(c.out), dialect.NewGroup(c.out), dialect.NewGroup(c.out)
	c.blocking, c.relays.running = dialect.NewAnswers(c.out), dialect.NewGroup(c.out)
	c.life, c.end = context.WithCancel(ctx)
	c.hurried, c.endWait = context.WithCancel(ctx)
	c.server = &dialect.Server{
		In: cfg.In, Limit: LineLimit, Out: c.out, Log: cfg.Log, Stop: cfg.Stop, Lock: &c.mu,
		Guard:   c.guard(),
		Handle:  func(line []byte) bool { c.handleLine(ctx, line); return true },
		TooLong: func([]byte) { c.fail(jsonrpc.Null, errLong) },
		Finish:  func(end dialect.End) { c.finish(ctx, end) },
	}
	return c
}

// serve speaks to the client.
func (c *conn) serve() int {
	defer c.out.Close()
	defer c.endWait()
	if c.cfg.Closing != nil {
		defer context.AfterFunc(c.cfg.Closing, c.announceClosing)()
	}
	return dialect.ExitCode(c.server.Run().Code, c.out)
}

// announceClosing notifies the client when the host begins to close.
func (c *conn) announceClosing() {
	defer c.out.Recover()
	c.replies.Post(notification("host/closing", HostClosing{c.cfg.Drain.Milliseconds()}))
}

// closing reports whether the host closes.
func (c *conn) closing() bool { return c.cfg.Closing != nil && c.cfg.Closing.Err() != nil }

// finish leaves the sessions. A client that has only ended its input is sent the rest of the running turns, unless Stop
// asks for more haste, up to where they wait for an answer of another client. Where none is waited for, what they ask is denied.
func (c *conn) finish(ctx context.Context, end dialect.End) {
	c.end()
	if end.Graceful() && !c.out.Deserted() {
		for _, s := range c.sessions {
			s.client.Detach()
		}
		dialect.Await(func() { c.awaitIdle(ctx) }, c.hurry, c.out.Gone(), c.cfg.Stop)
	} else {
		c.hurry()
	}
	c.endRelays(end)
	for _, s := range c.sessions {
		s.leave(ctx)
	}
	c.pumping.Wait()
	c.mu.Unlock() // those that end now may want to look something up
	c.blocking.Wait()
	c.notifying.Wait()
	c.mu.Lock()
}

// endRelays ends what other hosts do for the connection. A client that has only ended its input is sent the rest.
func (c *conn) endRelays(end dialect.End) {
	c.mu.Unlock() // one of them may bring its session here
	defer c.mu.Lock()
	if end.Graceful() && !c.out.Deserted() {
		c.relays.endInput()
		dialect.Await(c.relays.running.Wait, c.endWait, c.out.Gone(), c.cfg.Stop)
	}
	c.endWait()
	c.relays.running.Wait()
}

// awaitIdle waits until the sessions are idle, or the connection hurries.
func (c *conn) awaitIdle(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.hurried, cancel)()
	for _, s := range c.sessions {
		_ = s.client.Drain(ctx)
	}
}

// hurry ends what would end with the connection, and waits for nothing else.
func (c *conn) hurry() {
	for _, s := range c.sessions {
		if s.client.EndsSession() {
			s.eng.Queue().Hold() // what waits begins when it is opened again
			s.client.Interrupt()
			s.client.StopCommand("")
		}
	}
	c.endWait()
}

// handleLine does what one line asks for. Notifications and responses of the client do nothing.
func (c *conn) handleLine(ctx context.Context, line []byte) {
	f, invalid := jsonrpc.Parse(line, frames)
	if invalid != nil {
		id, err := lineError(invalid)
		c.fail(id, err)
		return
	}
	if f.Kind == jsonrpc.Request {
		c.handle(ctx, f, line)
	}
}

// handle answers a request. Whatever goes wrong inside is the answer to it.
func (c *conn) handle(ctx context.Context, f jsonrpc.Frame, line []byte) {
	defer func() {
		if p := recover(); p != nil {
			c.cfg.Log.Error("panic in request", "method", f.Method, "panic", p, "stack", string(debug.Stack()))
			c.fail(f.ID, errors.New("internal error"))
		}
	}()
	if !c.initialized && f.Method != "initialize" {
		c.fail(f.ID, errNotInitialized)
		return
	}
	params, err := table().Params(f, frames)
	switch {
	case c.initialized && f.Method == "initialize":
		err = errInitialized
	case !c.offers(f.Method):
		err = paramsError(f.Method, jsonrpc.ErrNoMethod)
	case err != nil:
		err = paramsError(f.Method, err)
	default:
		err = c.permit(methodOf(f.Method), params)
	}
	if err != nil {
		c.fail(f.ID, err)
		return
	}
	c.audit(methodOf(f.Method), params)
	c.dispatch(ctx, methodOf(f.Method), request{f.ID, f.Method}, line, params)
}

// dispatch does what a request asks for, here or on the host that has its session.
func (c *conn) dispatch(ctx context.Context, m method, r request, line []byte, params any) {
	if !c.route(ctx, m, r, line, params) {
		m.answer(c, ctx, r, params)
	}
}

// permit reports why the host does not take a request now.
func (c *conn) permit(m method, params any) error {
	switch {
	case m.begins && c.closing():
		return failure(CodeBusy, "the host is about to close", ErrorData{Kind: "closing"})
	case c.draining(m, params):
		return failure(CodeBusy, "the host is drained: it takes nothing new", ErrorData{Kind: "closing"})
	}
	return nil
}

// draining reports whether a request begins something, or opens a session, on a host that takes nothing new.
func (c *conn) draining(m method, params any) bool {
	if c.cfg.Draining == nil || !c.cfg.Draining() || !c.cfg.Role.may(Driver) {
		return false
	}
	id := sessionOf(params)
	if id != "" && m.enters {
		s, err := c.cfg.Host.Session(event.SessionID(id))
		return (err != nil || s.Ended() != "") && c.relays.find(id) == nil
	}
	return m.name == "session/create"
}

// audit reports what only an owner may do. Of a client of the network the guard has reported it.
func (c *conn) audit(m method, params any) {
	if c.cfg.Audit == nil || c.cfg.Rights != nil {
		return
	}
	needs, _ := allRights().Needs(m.name, params)
	if !slices.ContainsFunc(needs, func(n rights.Need) bool { return n.Level >= rights.Owner }) {
		return
	}
	session := ""
	if p, ok := params.(interface{ sessionID() string }); ok {
		session = p.sessionID()
	}
	c.cfg.Audit(m.name, session)
}

func (c *conn) reply(id jsonrpc.ID, result any) { c.replies.Post(resultLine(id, result)) }

func (c *conn) fail(id jsonrpc.ID, err error) { c.replies.Post(failLine(id, err)) }

// answer sends what a request has come to.
func (c *conn) answer(id jsonrpc.ID, result any, err error) {
	c.replies.Post(answerLine(id, result, err))
}

// later answers a request whose answer takes a while: others are handled meanwhile.
func (c *conn) later(id jsonrpc.ID, work func(ctx context.Context) (any, error)) {
	c.blocking.Go(func() {
		result, err := work(c.life)
		if err != nil && c.life.Err() != nil {
			err = errClosing
		}
		c.answer(id, result, err)
	})
}

func answerLine(id jsonrpc.ID, result any, err error) []byte {
	if err != nil {
		return failLine(id, err)
	}
	return resultLine(id, result)
}

func resultLine(id jsonrpc.ID, result any) []byte { return frames.AppendResult(nil, id, value(result)) }

func failLine(id jsonrpc.ID, err error) []byte { return frames.AppendError(nil, id, wireError(err)) }

func notification(method string, params any) []byte {
	return frames.AppendNotification(nil, method, value(params))
}

// value returns the JSON form of a type of this package.
func value(v any) jsontext.Value {
	data, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(fmt.Sprintf("%T: %v", v, err)) // a defect of this package
	}
	return data
}

// abridged returns a text of the client's as an error may repeat it.
func abridged(text string) string { return dialect.Abridged(text, 200) }
