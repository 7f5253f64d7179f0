package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"parley.dev/parley/client"
	"parley.dev/parley/internal/terminal"
	"parley.dev/parley/internal/tui/link"
)

// The exit codes.
const (
	exitOK       = 0
	exitFailed   = 1
	exitInternal = 70
)

// Options are what a console is started with. They are complete: package cli/tui has read the configuration.
type Options struct {
	Version   string
	Parley    string // the program parley, for a process of the console
	Host      string // unix:PATH, ws://… or wss://…; "": a process of the console
	Token     string // for ws:// and wss://
	Workspace string // absolute
	Resume    string // a session, the beginning of its id, or latest; "": a new one
	Sessions  bool   // begin with the list of sessions; the plain mode has none
	Prompt    string // the first one; "": none
	Model     string // "": the default
	Mode      string // "": the default
	Plain     bool
	State     string // folder for what the console remembers; "": it remembers nothing
	Theme     string // dark, light or contrast; "": dark
	SignIn    string // the command that signs the user in to a provider; "": there is none
	Vi        bool
	Keys      map[string]string // the setting tui.keys
	Getenv    func(string) string
}

// A console is connected.
type console struct {
	o       Options
	link    *link.Link
	status  *status
	opened  link.Opened // the session to show; ID "": a new one
	signals *signals
}

// Run runs a console on standard input and output, and returns the exit code.
func Run(o Options) int {
	if !terminal.Is(os.Stdin) || !terminal.Is(os.Stdout) {
		o.Plain = true
	}
	c := &console{o: o, status: &status{}, signals: notifySignals()}
	if err := c.connect(); err != nil {
		fmt.Fprintln(os.Stderr, "parley:", terminal.Line(err.Error()))
		return exitFailed
	}
	run := c.runScreen
	if o.Plain {
		run = c.runPlain
	}
	code := run()
	c.close()
	return code
}

// connect connects to the host and finds the session, before anything is shown.
func (c *console) connect() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), connectTime)
	defer cancel()
	defer c.signals.cancelOn(cancel)()
	c.link, err = link.Open(ctx, link.Options{
		Address: c.o.Host, Token: c.o.Token, Version: c.o.Version, Program: c.o.Parley, Dir: c.o.Workspace, Status: c.status.set,
	})
	if err != nil {
		return err
	}
	if err = c.find(ctx); err != nil {
		c.close()
	}
	return err
}

// connectTime is how long the host may take to answer at the start.
const connectTime = 30 * time.Second

// find finds the session, or checks the workspace of a new one.
func (c *console) find(ctx context.Context) error {
	if c.o.Resume == "" {
		if _, err := c.link.Files(ctx, c.o.Workspace, "", 1); err != nil && !client.IsKind(err, "forbidden") {
			return fmt.Errorf("workspace %s: %w", c.o.Workspace, err)
		}
		return nil
	}
	opened, err := c.link.Find(ctx, c.o.Workspace, c.o.Resume)
	if client.IsKind(err, "no_session") {
		return err // it names the session
	}
	if err != nil {
		return fmt.Errorf("session %s: %w", c.o.Resume, err)
	}
	if settings := c.settings(); len(settings) > 0 {
		if err = c.link.Change(ctx, opened.ID, settings, 0); err == nil {
			opened, err = c.link.Open(ctx, opened.ID)
		}
		if err != nil {
			return fmt.Errorf("session %s: %w", opened.ID, err)
		}
	}
	c.opened, c.o.Workspace = opened, opened.State.Workspace
	return nil
}

// settings returns those that the command line sets.
func (c *console) settings() map[string]any {
	settings := map[string]any{}
	if c.o.Model != "" {
		settings["model"] = c.o.Model
	}
	if c.o.Mode != "" {
		settings["mode"] = c.o.Mode
	}
	return settings
}

// closeTime is how long a process of the console may take to end.
const closeTime = 10 * time.Second

// close ends the connection. A process of the console that does not end is left to the end of its input.
func (c *console) close() {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = c.link.Close() // nothing is lost: what was accepted is on disk
	}()
	select {
	case <-closed:
	case <-time.After(closeTime):
	}
}

// finish ends what must not go on without the console, and prints how the session is continued.
func (c *console) finish(out io.Writer, session string, running bool) {
	if session == "" {
		return
	}
	if running && c.link.Embedded() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		if _, err := c.link.Interrupt(ctx, session); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			fmt.Fprintln(os.Stderr, "parley:", terminal.Line(err.Error()))
		}
	}
	if running && !c.link.Embedded() {
		fmt.Fprintln(out, "The turn is still running.")
	}
	fmt.Fprintf(out, "To continue: parley tui --resume %s\n", terminal.Line(session))
}
