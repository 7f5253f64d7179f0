package scaiflux

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire"
)

const (
	lineLimit = 16 << 20 // bytes of an inbound line
	outBound  = 1 << 20  // bytes that wait for a slow controller before the pump waits
)

// The exit codes of serve; 2 is a bad command line.
const (
	ExitOK       = 0
	ExitFailed   = 1  // the session could not be opened, or the controller's end of stdout is gone
	ExitInternal = 70 // a defect of this program
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
}

// A conn is the one controller of a process.
type conn struct {
	cfg     Config
	session *engine.Session
	project ProjectConfig
	pump    *dialect.Pump
	out     *wire.Outbox
	slashes slashQueue
	ended   chan int    // the exit code: of the end of input, or of an exit that had to wait
	closing atomic.Bool // what is still read comes too late

	mu   sync.Mutex // guards view: the pump folds it, the reader looks requests up
	view *view
}

// Serve runs one session for one controller and returns the exit code. It returns when the
// input has ended, or Stop, or the output is gone, and the running turn is over.
func Serve(ctx context.Context, cfg Config) int {
	writer := wire.NewWriter(cfg.Out)
	out := wire.NewOutbox(writer, outBound)
	defer out.Close()
	c := &conn{cfg: cfg, out: out, ended: make(chan int, 2)}
	if err := c.bootstrap(ctx); err != nil {
		cfg.Log.Error(err.Error())
		out.Put(encode(refuse("bootstrap_failed", err.Error())))
		return ExitFailed
	}
	return c.run(ctx, writer.Gone())
}

// RefuseStart is the answer of a process that cannot even try to open its session.
func RefuseStart(w io.Writer, err error) {
	_ = wire.NewWriter(w).WriteLine(encode(refuse("bootstrap_failed", err.Error()))) // nobody to tell
}

// bootstrap opens the session and says ready.
func (c *conn) bootstrap(ctx context.Context) error {
	workspace, err := engine.Workspace(c.cfg.Flags.Workspace)
	if err != nil {
		return err
	}
	if c.project, err = ReadProjectConfig(workspace); err != nil {
		return err
	}
	c.warnUnread()
	rules, err := c.project.denyRules()
	if err != nil {
		return err
	}
	flags := c.cfg.Flags
	if flags.MaxTokens == 0 {
		flags.MaxTokens = c.project.MaxTokens
	}
	if flags.MaxIterations == 0 {
		flags.MaxIterations = max(c.project.MaxIterations, 0)
	}
	if flags.MaxIterations == 0 {
		flags.MaxIterations = DefaultIterations
	}
	c.cfg.Flags = flags
	if c.session, err = c.openSession(ctx, workspace); err != nil {
		return err
	}
	c.view = newView(rules)
	c.pump = dialect.NewPump(c.session, c.out)
	c.out.Put(encode(c.ready()))
	return nil
}

// DefaultIterations is how many tool rounds a turn may have where nothing says otherwise.
const DefaultIterations = 20

func (c *conn) warnUnread() {
	for name := range c.project.Unread {
		if !knownElsewhere[name] {
			c.cfg.Log.Warn("unknown key in "+configName, "key", name)
		}
	}
}

func (c *conn) openSession(ctx context.Context, workspace string) (*engine.Session, error) {
	f, host := c.cfg.Flags, c.cfg.Host
	if f.Resume == "" {
		settings := event.Settings{Mode: string(f.Mode), ToolGroups: c.project.Gadgets}
		for _, name := range []string{f.Model, c.project.Model, c.cfg.Credentials.Model} {
			if settings.Model == "" {
				settings.Model = name
			}
		}
		return host.Create(ctx, engine.NewSession{Workspace: workspace, Settings: settings}, options(f))
	}
	id, err := c.resumed(ctx, workspace)
	if err != nil {
		return nil, err
	}
	s, err := host.Open(ctx, id, options(f))
	if err != nil {
		return nil, fmt.Errorf("--resume %s: %w", f.Resume, err)
	}
	err = s.Change(func(settings *event.Settings) {
		settings.Mode = string(f.Mode)
		if f.Model != "" {
			settings.Model = f.Model
		}
	})
	return s, err
}

// resumed is the session that --resume means.
func (c *conn) resumed(ctx context.Context, workspace string) (event.SessionID, error) {
	want, host := c.cfg.Flags.Resume, c.cfg.Host
	if want == "latest" {
		page, err := host.List(ctx, engine.Query{Workspace: workspace, Limit: 1})
		if err != nil {
			return "", fmt.Errorf("--resume latest: %w", err)
		}
		if len(page.Sessions) == 0 {
			return "", fmt.Errorf("--resume latest: no saved session in this workspace")
		}
		return page.Sessions[0].ID, nil
	}
	if host.Exists(ctx, event.SessionID(want)) {
		return event.SessionID(want), nil
	}
	return c.resumedByPrefix(ctx, workspace, want)
}

func (c *conn) resumedByPrefix(ctx context.Context, workspace, want string) (event.SessionID, error) {
	page, err := c.cfg.Host.List(ctx, engine.Query{Workspace: workspace, Search: want, Limit: 1000})
	if err != nil {
		return "", fmt.Errorf("--resume %s: %w", want, err)
	}
	var found []event.SessionID
	for _, s := range page.Sessions {
		if strings.HasPrefix(string(s.ID), want) {
			found = append(found, s.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("--resume %s: no such session in this workspace", want)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("--resume %s: %d sessions begin with it", want, len(found))
}

func (c *conn) ready() Ready {
	st, info := c.session.State(), c.modelInfo()
	return Ready{
		Type: "ready", Protocol: Protocol, Version: c.cfg.Version, SessionID: string(c.session.ID()),
		Model: info.name, Mode: st.Settings.Mode, Tools: c.toolNames(),
		ContextWindow: info.window, MaxTokens: info.maxTokens, Gadgets: gadgets(st.Settings.ToolGroups),
	}
}

// run serves until the end of input, Stop, or a lost output; then it ends what is open.
func (c *conn) run(ctx context.Context, gone <-chan struct{}) int {
	head := c.session.Head()
	records := c.session.Follow(ctx, head+1, event.KindTextDelta)
	c.pump.Skip(head)
	detach := c.session.Attach()
	var pumping sync.WaitGroup
	pumping.Go(func() {
		if err := c.pump.Run(records, c.render); err != nil {
			c.cfg.Log.Error("events lost", "error", err)
		}
	})

	go c.readAll()
	code := ExitOK
	select {
	case code = <-c.ended:
	case <-gone:
		c.cfg.Log.Error("the controller's end of stdout is gone")
		code = ExitFailed
	case <-c.cfg.Stop:
		c.closing.Store(true)
		c.session.Interrupt()
		_ = c.session.Wait(ctx) // before detach: what is pending is withdrawn, not denied
	}
	c.closing.Store(true)
	detach()
	c.finish(ctx)
	pumping.Wait()
	c.out.Close()
	select {
	case <-gone:
		code = max(code, ExitFailed)
	default:
	}
	return code
}

// finish lets the running turn and the slash commands come to their end, unless Stop asks
// for more haste.
func (c *conn) finish(ctx context.Context) {
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		_ = c.session.Wait(ctx)
		c.slashes.wait()
	}()
	select {
	case <-idle:
	case <-c.cfg.Stop:
		c.session.Interrupt()
		<-idle
	}
	if err := c.session.Close(ctx); err != nil {
		c.cfg.Log.Error("session not saved", "error", err)
	}
}

func (c *conn) render(rec event.Record) [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return lines(c.view.render(rec)...)
}

func (c *conn) reply(messages ...any) { c.pump.Reply(lines(messages...)...) }

// readAll handles one line after the other, never waits for a turn, and gives the exit
// code at shutdown or at the end of input. When the process stops for another reason it
// may still stand in a read: it ends with the input.
func (c *conn) readAll() {
	defer func() {
		if p := recover(); p != nil {
			c.cfg.Log.Error("internal error", "panic", p, "stack", string(debug.Stack()))
			c.reply(refuse("internal", fmt.Sprintf("internal error: %v", p)))
			c.ended <- ExitInternal
		}
	}()
	r := wire.NewReader(c.cfg.In, lineLimit)
	for {
		line, err := r.Next()
		switch {
		case errors.Is(err, wire.ErrLineTooLong):
			c.reply(refuse("invalid_json", fmt.Sprintf("the line is longer than %d bytes", lineLimit)))
		case err != nil, c.closing.Load(), c.handle(line): // an input that cannot be read has ended
			c.ended <- ExitOK
			return
		}
	}
}

// handle does what one line asks for; true: it was the last.
func (c *conn) handle(line []byte) (last bool) {
	message, refused := decode(line)
	if refused != nil {
		c.reply(refused)
		return false
	}
	switch m := message.(type) {
	case Prompt:
		if _, err := c.session.Prompt(context.Background(), engine.Prompt{Text: m.Text}); err != nil {
			c.reply(refusal(err))
		}
	case Slash:
		return c.slash(m)
	case Interrupt:
		c.session.Interrupt()
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
	if !ok || c.session.Answer(id, d) != nil {
		c.reply(refuse("unknown_request", "no pending permission request "+excerpt(m.RequestID)))
	}
}
