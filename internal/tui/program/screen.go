package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/tui/graphics"
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
		Host: host, Workspace: c.o.Workspace, Opened: c.opened, Sessions: c.o.Sessions, Prompt: c.o.Prompt, Settings: c.settings(), Client: link.Name,
		Theme: c.o.Theme, NoColor: c.o.Getenv("NO_COLOR") != "", SignIn: c.o.SignIn, Vi: c.o.Vi, Keys: keys,
		Graphics: graphics.Supported(c.o.Getenv),
		Prompts:  prompts.texts(), SavePrompt: prompts.add, Export: c.export, Edit: c.edit, Embedded: c.link.Embedded(),
	})
	g := &guard{}
	p := tea.NewProgram(guarded{model, g}, tea.WithoutSignalHandler(), tea.WithFPS(screen.FPS))
	g.end, host.send, host.guard = p.Quit, p.Send, g
	c.status.show(host.connection)
	ctx, cancel := context.WithCancel(context.Background())
	g.goRun(func() { host.watch(ctx) })
	g.goRun(func() { host.branches(ctx, c.o.Workspace) })
	code := c.show(p, g)
	cancel()
	host.end()
	c.finish(os.Stdout, model.Session(), model.Running())
	return code
}

// show runs a program on the terminal until it quits, and returns the exit code. The terminal is as before.
func (c *console) show(p *tea.Program, g *guard) int {
	defer c.signals.on(func(syscall.Signal) { p.Quit() })()
	_, _ = os.Stdout.WriteString(saveTitle) // a terminal that is gone shows in Run
	_, err := p.Run()
	_, _ = os.Stdout.WriteString(restoreTitle + showCursor)
	switch {
	case g.panicked() != "":
		fmt.Fprint(os.Stderr, g.panicked())
		return exitInternal
	case errors.Is(err, tea.ErrProgramPanic):
		return exitInternal // Bubble Tea has printed it
	case err != nil && c.signals.code(exitOK) == exitOK:
		fmt.Fprintln(os.Stderr, "parley:", err)
		return exitFailed
	}
	return c.signals.code(exitOK)
}
