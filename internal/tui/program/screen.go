package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"syscall"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/internal/tui/screen"
)

// The sequences around what Bubble Tea does. Terminals without a stack of titles ignore saveTitle and restoreTitle; Bubble
// Tea has removed the title of the console then. It hides the cursor before it shows the alternate screen again, such as after
// an editor, and some terminals have a cursor for each screen.
const (
	saveTitle    = "\x1b[22;2t"
	restoreTitle = "\x1b[23;2t"
	showCursor   = "\x1b[?25h"
)

// runScreen runs the screen and returns the exit code.
func (c *console) runScreen() int {
	keys, err := screen.ParseKeys(c.o.Keys)
	if err != nil {
		fmt.Fprintln(os.Stderr, "parley:", err)
		return exitFailed
	}
	host := &host{Link: c.link}
	prompts := openPrompts(c.o.State, c.o.Workspace)
	model := screen.New(screen.Options{
		Host: host, Workspace: c.o.Workspace, Session: c.session, Settings: c.settings(), Client: link.Name,
		Theme: c.o.Theme, NoColor: c.o.Getenv("NO_COLOR") != "", Vi: c.o.Vi, Keys: keys,
		Prompts: prompts.texts(), SavePrompt: prompts.add, Export: c.export, Edit: c.edit, Embedded: c.link.Embedded(),
	})
	end := c.show(model, host)
	c.finish(os.Stdout, model.Session(), model.Running())
	return end
}

// show runs a model on the terminal until it quits, and returns the exit code. The terminal is as before.
func (c *console) show(model tea.Model, host *host) int {
	p := tea.NewProgram(model, tea.WithoutSignalHandler())
	g := &guard{kill: p.Kill}
	host.send, host.guard = p.Send, g
	defer c.signals.on(func(syscall.Signal) { p.Quit() })()
	g.goRun(func() { c.status.show(host.connection) })
	ctx, cancel := context.WithCancel(context.Background())
	g.goRun(func() { host.watch(ctx) })
	g.goRun(func() { host.branches(ctx, c.o.Workspace) })
	_, _ = os.Stdout.WriteString(saveTitle) // a terminal that is gone shows in Run
	_, err := p.Run()
	_, _ = os.Stdout.WriteString(restoreTitle + showCursor)
	cancel()
	host.end()
	switch {
	case g.panicked():
		fmt.Fprint(os.Stderr, g.text)
		return exitInternal
	case errors.Is(err, tea.ErrProgramPanic):
		return exitInternal // Bubble Tea has printed it
	case err != nil && c.signals.code(exitOK) == exitOK:
		fmt.Fprintln(os.Stderr, "parley:", err)
		return exitFailed
	}
	return c.signals.code(exitOK)
}

// A guard ends the screen when something beside it panics, so that the terminal is restored.
type guard struct {
	kill func()

	mu   sync.Mutex
	text string // of the panic; "": there was none
}

// goRun runs f in a goroutine of its own.
func (g *guard) goRun(f func()) {
	go func() {
		defer func() {
			if p := recover(); p != nil {
				g.mu.Lock()
				g.text = fmt.Sprintf("parley: internal error: %v\n%s", p, debug.Stack())
				g.mu.Unlock()
				g.kill()
			}
		}()
		f()
	}()
}

func (g *guard) panicked() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text != ""
}
