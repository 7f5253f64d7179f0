package mcp

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/sandbox"
)

// A program is a server that runs on this machine: lines on its stdin and stdout.
type program struct {
	lines     *lines
	words     *sandbox.LineWriter // its stderr
	interrupt context.CancelFunc
	gone      chan struct{} // closed when it has ended and exit is set
	exit      sandbox.Exit
}

// startProgram starts p's command. It is not confined: the user who configured it decides what it
// may do.
func startProgram(ctx context.Context, p *sharedServer) (*program, error) {
	env := sandbox.WithVariables(p.pool.options.Environ, p.config.Env)
	path, err := sandbox.LookPath(p.config.Command, sandbox.Variable(env, "PATH"))
	if err != nil {
		return nil, err
	}
	stdin, toStdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	fromStdout, stdout := io.Pipe()
	g := &program{words: newOutputLog(p), gone: make(chan struct{})}
	g.lines = newLines(fromStdout, toStdin, g.words)
	running, interrupt := context.WithCancel(context.Background()) // not ctx: it outlives the start
	g.interrupt = interrupt
	slow := newThrottle(running, sync.OnceFunc(func() {
		p.pool.options.Log.Warn("a tool server writes more than it is asked for, and is slowed", "server", p.label())
	}))
	process, err := p.pool.options.Spawner.Start(running, sandbox.Command{
		Path: path, Args: p.config.Args, Dir: p.config.Dir, Env: env,
		Stdin: stdin, Stdout: slow.writer(stdout), Stderr: slow.writer(g.words),
		Confine: sandbox.Policy{Level: sandbox.Full},
	})
	if err != nil {
		interrupt()
		_ = g.lines.Close()
		return nil, err
	}
	go func() {
		g.exit = process.Wait()
		g.words.Flush()
		_ = stdout.Close() // what it wrote before is read
		close(g.gone)
	}()
	return g, nil
}

func (g *program) transport() sdk.Transport { return g.lines }
func (g *program) hangUp()                  { _ = g.lines.Close() }

// close closes the program's input, and interrupts it if that is not enough.
func (g *program) close(_ *sdk.ClientSession, limit time.Duration) string {
	defer g.interrupt()
	_ = g.lines.Close()
	patience := time.NewTimer(limit)
	defer patience.Stop()
	select {
	case <-g.gone:
	case <-patience.C:
		g.interrupt() // SIGTERM, and SIGKILL after the Spawner's grace
		<-g.gone
	}
	switch {
	case g.exit.Killed != nil:
		return "its program was killed: " + g.exit.Killed.Error()
	case g.exit.Interrupted:
		return ""
	case g.exit.Signal != "":
		return "its program was ended by " + g.exit.Signal + last(g.words)
	}
	return fmt.Sprintf("its program ended with exit code %d%s", g.exit.Code, last(g.words))
}
