package conform

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	pendingLines = 16               // lines that are read ahead
	stderrLimit  = 64 << 10         // bytes of standard error that are stored, the last ones
	killLimit    = 10 * time.Second // how long a killed program may take to end
	leftLimit    = 3 * time.Second  // how long other processes of a program may outlive it
)

// A program is the process that is checked, and the lines that it sends.
type program struct {
	cmd   *exec.Cmd
	mark  string // in the environment of all of its processes
	place place
	in    io.WriteCloser
	lines chan string // closed at the end
	stop  context.CancelFunc
	ended chan struct{} // closed when the process has ended
	read  chan struct{} // closed when its output was read

	stderr   *tail
	errs     *os.File      // our end of its standard error
	errsRead chan struct{} // closed when that was read
}

// A place is the folders of one case.
type place struct{ root, home, work string }

// start starts the command of a run for one case.
func (o Options) start(ctx context.Context, p place, model *modelServer) (*program, error) {
	fill := o.filler(p, model)
	ctx, cancel := context.WithCancel(ctx)
	g := &program{
		place: p, mark: "PARLEY_CONFORM_CASE=" + filepath.Base(p.root), stop: cancel, stderr: &tail{},
		lines: make(chan string, pendingLines), ended: make(chan struct{}), read: make(chan struct{}), errsRead: make(chan struct{}),
	}
	args := make([]string, len(o.Command))
	for i, arg := range o.Command {
		args[i] = fill.Replace(arg)
	}
	g.cmd = exec.CommandContext(ctx, args[0], args[1:]...)
	g.cmd.Dir = p.work
	g.cmd.Env = append(o.environment(p, fill), g.mark)
	ownGroup(g.cmd)
	var err error
	if o.attaches() {
		err = g.attach(ctx, o)
	} else {
		err = g.pipe(ctx)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return g, nil
}

// pipe starts a program that speaks on its standard input and output.
func (g *program) pipe(ctx context.Context) (err error) {
	if g.in, err = g.cmd.StdinPipe(); err != nil {
		return err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return err
	}
	defer childOut.Close()
	g.cmd.Stdout = childOut
	if err := g.begin(); err != nil {
		out.Close()
		return err
	}
	go g.receive(ctx, out)
	return nil
}

// begin starts the process. Its standard error is a pipe of ours, so that the wait for its end is not one for the processes that it left.
func (g *program) begin() error {
	errs, childErrs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer childErrs.Close()
	g.cmd.Stderr = childErrs
	if g.cmd.Stdout == nil {
		g.cmd.Stdout = childErrs // what a client prints is shown with failures
	}
	if err := g.cmd.Start(); err != nil {
		errs.Close()
		return fmt.Errorf("start %s: %w", g.cmd.Args[0], err)
	}
	g.errs = errs
	go func() {
		defer close(g.errsRead)
		_, _ = io.Copy(g.stderr, errs) // to its end
	}()
	go func() {
		defer close(g.ended)
		_ = g.cmd.Wait() // its state says how it ended
	}()
	return nil
}

// attach starts a client that starts its server itself: that is a script, which connects to a socket.
func (g *program) attach(ctx context.Context, o Options) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "unix", filepath.Join(g.place.root, socketName))
	if err != nil {
		return fmt.Errorf("listen for the client: %w", err)
	}
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' conform connect '%s'\n", strings.ReplaceAll(o.Self, "'", `'\''`), l.Addr())
	if err := os.WriteFile(serverScript(g.place), []byte(script), 0o700); err != nil {
		return errors.Join(err, l.Close())
	}
	connected := make(chan net.Conn, 1)
	g.in = &lateWriter{ctx: ctx, conns: connected}
	if err := g.begin(); err != nil {
		return errors.Join(err, l.Close())
	}
	go func() { // a client that ends first does not connect any more
		select {
		case <-ctx.Done():
		case <-g.ended:
		}
		_ = l.Close() // it may be closed
	}()
	go func() {
		conn, err := l.Accept()
		_ = l.Close() // there is one connection
		if err != nil {
			close(g.lines)
			close(g.read)
			return
		}
		connected <- conn
		g.receive(ctx, conn)
	}()
	return nil
}

// A lateWriter writes to a connection once there is one.
type lateWriter struct {
	ctx   context.Context
	conns chan net.Conn
	conn  net.Conn
}

func (w *lateWriter) Write(p []byte) (int, error) {
	if w.conn == nil {
		select {
		case w.conn = <-w.conns:
		case <-w.ctx.Done():
			return 0, w.ctx.Err()
		}
	}
	return w.conn.Write(p)
}

// Close ends what is sent; lines still come.
func (w *lateWriter) Close() error {
	if c, ok := w.conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// receive sends the lines of r until r or ctx ends.
func (g *program) receive(ctx context.Context, r io.ReadCloser) {
	defer close(g.read)
	defer close(g.lines)
	unblock := context.AfterFunc(ctx, func() { r.Close() })
	defer unblock()
	defer r.Close()
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			select {
			case g.lines <- strings.TrimRight(line, "\r\n"):
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// discard kills the program and every process of it, and waits for its end.
func (g *program) discard() {
	g.stop()
	killGroup(g.cmd)
	<-g.read
	limit := time.NewTimer(killLimit)
	defer limit.Stop()
	select {
	case <-g.ended:
	case <-limit.C:
	}
	for _, p := range processes(g.mark, g.place.root) {
		p.kill()
	}
	select {
	case <-g.errsRead:
	case <-time.After(time.Second): // a process that is not seen has it open
	}
	g.errs.Close()
	<-g.errsRead
}

// left waits until no process of the program is there, at most leftLimit, and returns those that are.
func (g *program) left() []process {
	limit := time.NewTimer(leftLimit)
	defer limit.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		left := processes(g.mark, g.place.root)
		if len(left) == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-limit.C:
			return left
		}
	}
}

// A process is one that a program left.
type process struct {
	pid     int
	command string
}

func (p process) kill() {
	if q, err := os.FindProcess(p.pid); err == nil {
		_ = q.Kill() // it may have ended
	}
}

// A tail stores the end of what is written.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - stderrLimit; over > 0 {
		t.text = bytes.Clone(t.text[over:])
	}
	return len(p), nil
}

// lines returns the last n lines.
func (t *tail) lines(n int) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimRight(string(t.text), "\n")
	if text == "" {
		return nil
	}
	all := strings.Split(text, "\n")
	return all[max(0, len(all)-n):]
}
