package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"parley.dev/parley/internal/console"
	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/internal/terminal"
)

// Config is what a REPL works with.
type Config struct {
	To   io.Writer // the server's input
	From io.Reader // the server's output

	Screen *console.Screen
	// Console asks the user about calls; nil: there is no user, and what the mode does not cover is
	// denied.
	Console *console.Console
	// ReadLine shows the prompt and reads what the user enters; see terminal.Editor.
	ReadLine func(ctx context.Context, prompt string) (string, error)
	// Interrupts is sent to at each Ctrl-C while no line is read.
	Interrupts <-chan struct{}
}

// A repl is a conversation of the user with the server.
type repl struct {
	Config
	client  *client
	view    *console.View
	allowed map[string]bool // calls that are not asked about again, see permission.key
	leaving bool            // Ctrl-C was pressed at the prompt, and nothing was entered since
}

// errForced reports a second Ctrl-C during a turn.
var errForced = errors.New("interrupted twice")

// Run serves the user until they leave, the server ends, or ctx does. The server is asked to
// shut down.
func Run(ctx context.Context, cfg Config) error {
	r := &repl{Config: cfg, client: connect(cfg.To, cfg.From), view: console.NewView(cfg.Screen), allowed: map[string]bool{}}
	defer close(r.client.done)
	if err := r.begin(); err != nil {
		return err
	}
	for {
		line, err := r.ReadLine(ctx, "> ")
		switch {
		case errors.Is(err, terminal.ErrInterrupted) && !r.leaving:
			r.leaving = true
			r.Screen.Dim("Press Ctrl-C again, or Ctrl-D, to leave.")
			continue
		case err != nil:
			return r.leave(ctx, err)
		}
		r.leaving = false
		exit, err := r.enter(ctx, line)
		if err != nil {
			return err
		}
		if exit || ctx.Err() != nil {
			return r.leave(ctx, nil)
		}
	}
}

// begin waits until the server is ready, has failed, or has ended.
func (r *repl) begin() error {
	for {
		e, err := r.next()
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case *scaiflux.Ready:
			model := e.Model
			if model == "" {
				model = "no model"
			}
			r.Screen.Dim(fmt.Sprintf("%s, mode %s, session %s", model, e.Mode, e.SessionID))
			r.Screen.Dim("/help lists the commands. Ctrl-D leaves.")
			return nil
		case *scaiflux.Error:
			return errors.New(e.Message)
		}
	}
}

// leave asks the server to shut down and waits until it has. The end of the user's input, and a
// Ctrl-C at the prompt, are no errors.
func (r *repl) leave(ctx context.Context, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, terminal.ErrInterrupted) || ctx.Err() != nil {
		err = nil
	}
	if serr := r.client.send(scaiflux.Shutdown{Type: "shutdown"}); serr != nil {
		return err // it has ended
	}
	for range r.client.events {
	}
	return err
}

// next returns the next event. No context ends the wait: when the program ends, the server ends, and its
// last events are still to come.
func (r *repl) next() (any, error) {
	e, open := <-r.client.events
	if !open {
		return nil, r.client.err
	}
	return e, nil
}

// enter does what the user has entered; exit: the server ends.
func (r *repl) enter(ctx context.Context, line string) (exit bool, err error) {
	text := strings.TrimSpace(line)
	if text == "" {
		return false, nil
	}
	if command, ok := strings.CutPrefix(text, "/"); ok && !strings.Contains(text, "\n") {
		return r.slash(command)
	}
	return false, r.prompt(ctx, line)
}

// slash runs a slash command.
func (r *repl) slash(text string) (exit bool, err error) {
	name, args, _ := strings.Cut(text, " ")
	if err := r.client.send(scaiflux.Slash{Type: "slash", Command: name, Args: strings.TrimSpace(args)}); err != nil {
		return false, err
	}
	r.Screen.Status("running /" + name)
	defer r.Screen.Status("")
	for {
		e, err := r.next()
		if err != nil {
			return false, err
		}
		switch e := e.(type) {
		case *scaiflux.SlashResult:
			r.Screen.Status("")
			err := r.Screen.Answer(e.Text)
			return e.Exit, errors.Join(err, r.Screen.EndAnswer())
		case *scaiflux.Error:
			r.Screen.Error(e.Message)
			return false, nil
		}
	}
}
