package scaiflux

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"strings"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/wire"
)

const (
	lineLimit = 16 << 20 // bytes of an inbound line
	outBound  = 1 << 20  // bytes that wait for a slow controller before the pump waits
)

// Config is what a connection works with.
type Config struct {
	Host    *engine.Host
	In      io.Reader
	Out     io.Writer // nothing else may write to it
	Log     *slog.Logger
	Version string
	Flags   Flags
	// Credentials are of the gateway; its default model counts where nothing else names one.
	Credentials Credentials
	// Stop asks for an interrupt and then a shutdown.
	Stop <-chan struct{}
	// Rights is what the controller may do; nil: it is the user.
	Rights *rights.Client
}

// A conn is the one controller of a process.
type conn struct {
	cfg     Config
	session *engine.Session
	client  *engine.Client
	project ProjectConfig
	pump    *dialect.Pump
	records iter.Seq2[event.Record, error] // that the pump sends
	out     *dialect.Output
	slashes slashQueue
	server  *dialect.Server
	pumping *dialect.Group
	pumped  chan struct{} // closed when the records of the session are sent

	handling lock.Mutex // held while a line is handled, which may open the session again, and at the end

	mu   lock.Mutex // guards view: the pump folds it, the reader looks requests up
	view *view
}

// Serve runs one session for one controller and returns the exit code. It returns when the
// input has ended, or Stop, or the output is gone, and the running turn is over.
func Serve(ctx context.Context, cfg Config) int {
	out := dialect.OpenOutput(cfg.In, cfg.Out, outBound, cfg.Log)
	defer out.Close()
	c := &conn{cfg: cfg, out: out}
	c.slashes.running = dialect.NewGroup(out)
	if err := c.bootstrap(ctx); err != nil {
		cfg.Log.Error(err.Error())
		out.Put(encode(refuse("bootstrap_failed", err.Error())))
		return dialect.ExitFailed
	}
	return c.run(ctx)
}

// RefuseStart is the answer of a process that cannot even try to open its session.
func RefuseStart(w io.Writer, err error) {
	_ = wire.NewWriter(w).WriteLine(encode(refuse("bootstrap_failed", err.Error()))) // there is no other place to report a failure
}

// run serves until the end of input, Stop, or a lost output; then it ends what is open.
func (c *conn) run(ctx context.Context) int {
	c.pumping = dialect.NewGroup(c.out)
	c.send()
	c.server = &dialect.Server{
		In: c.cfg.In, Limit: lineLimit, Out: c.out, Log: c.cfg.Log, Stop: c.cfg.Stop, Lock: &c.handling,
		Guard:  c.guard(),
		Handle: func(line []byte) bool { return !c.handle(ctx, line) },
		TooLong: func([]byte) {
			c.reply(refuse("invalid_json", fmt.Sprintf("the line is longer than %d bytes", lineLimit)))
		},
		Panicked: func(p any) { c.reply(refuse("internal", fmt.Sprintf("internal error: %v", p))) },
		Finish: func(end dialect.End) {
			c.finish(ctx, end)
			c.pumping.Wait()
		},
	}
	end := c.server.Run()
	if end.By == dialect.OutputGone {
		end.Code = dialect.ExitFailed
	}
	return dialect.ExitCode(end.Code, c.out)
}

// send begins to send the records of the session.
func (c *conn) send() {
	pump, records, pumped := c.pump, c.records, make(chan struct{})
	c.pumped = pumped
	c.pumping.Go(func() {
		defer close(pumped)
		if err := pump.Run(records, c.render); err != nil {
			c.cfg.Log.Error("events lost", "error", err)
		}
	})
}

// finish lets the running turn and the slash commands come to their end, unless Stop asks
// for more haste, or the controller has stopped reading.
func (c *conn) finish(ctx context.Context, end dialect.End) {
	if end.By == dialect.OutputGone {
		c.cfg.Log.Error("the controller's end of stdout is gone")
	}
	dialect.Leaving{
		Members:  []dialect.Member{{Session: c.session, Client: c.client, Pump: c.pump}},
		Graceful: end.By != dialect.Stopped, Gone: c.out.Stalled(), Out: c.out, Stop: c.cfg.Stop, Log: c.cfg.Log, Beside: c.slashes.wait,
	}.Do(ctx)
}

// join attaches the controller to the session, brings the view up to a turn that runs, and returns the permission requests
// that wait. After an error the session is left.
func (c *conn) join(ctx context.Context) (waiting [][]byte, err error) {
	st := c.session.State()
	names := dialect.NamesIn(c.session, profile, toolset.Get())
	info := dialect.ClientInfo(profile)
	info.NoQuestions = true
	c.client = c.cfg.Host.Attach(c.session, info)
	c.view.client = c.client.Info().N
	c.records = names.All(c.session.Log().Follow(c.pump.Context(), st.Head+1, event.KindTextDelta, event.KindSyncStarted, event.KindSyncEnded))
	c.pump.Skip(st.Head)
	if st.Turn == "" {
		return nil, nil
	}
	var asked []PermissionRequest // by another client's turn
	err = c.pump.CatchUp(ctx, c.client, names, st.Head, func(rec event.Record) {
		for _, m := range c.view.render(rec) {
			if request, ok := m.(PermissionRequest); ok {
				asked = append(asked, request)
			}
		}
	})
	for _, request := range asked {
		if _, open := c.view.requests[request.RequestID]; open {
			waiting = append(waiting, encode(request))
		}
	}
	return waiting, err
}

func (c *conn) render(rec event.Record) [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return lines(c.view.render(rec)...)
}

func (c *conn) reply(messages ...any) { c.pump.Reply(lines(messages...)...) }

// handle does what one line asks for; true: it was the last.
func (c *conn) handle(ctx context.Context, line []byte) (last bool) {
	message, refused := decode(line)
	if refused != nil {
		c.reply(refused)
		return false
	}
	switch m := message.(type) {
	case Prompt:
		if err := c.reopen(ctx); err != nil {
			c.reply(refuse("session_closed", "another client has ended the session, and it cannot be opened again: "+err.Error()))
		} else if _, err := c.client.Prompt(context.Background(), engine.Prompt{Text: m.Text}); err != nil {
			c.reply(refusal(err))
		}
	case Slash:
		if err := c.reopen(ctx); err != nil {
			c.cfg.Log.Warn("session not opened again", "error", err) // the command says what it misses
		}
		return c.slash(m)
	case Interrupt:
		c.client.Interrupt()
	case PermissionResponse:
		c.decide(m)
	case Shutdown:
		return true
	}
	return false
}

// decide answers a pending permission request, once.
func (c *conn) decide(m PermissionResponse) {
	c.mu.Lock()
	id, ok := c.view.requests[m.RequestID]
	c.mu.Unlock()
	d := engine.Decision{Allow: m.Decision == "allow"}
	if m.Reason != nil && strings.TrimSpace(*m.Reason) != "" {
		d.Reason = *m.Reason
	}
	if !ok || c.client.Answer(id, d) != nil {
		c.reply(refuse("unknown_request", "no pending permission request "+excerpt(m.RequestID)))
	}
}
