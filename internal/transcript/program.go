package transcript

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// stopLimit is how long a program may take to end after it was killed.
const stopLimit = 5 * time.Second

// signals are the signals of dialogues by name.
var signals = map[string]os.Signal{
	"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL,
}

// A program is the peer of a dialogue: a process or a function.
type program struct {
	stdin  io.WriteCloser
	lines  chan string // standard output without line ends; closed at its end
	stderr *notes
	signal func(os.Signal) error
	stop   func()        // kills it
	ended  chan struct{} // closed when it has ended
	code   int           // valid after ended; -1: by a signal
	err    error         // valid after ended: another failure
}

// A launch is the arguments of a start.
type launch struct {
	args []string
	env  []string
	dir  string
}

// startBinary starts a process. It is killed when ctx ends.
func startBinary(ctx context.Context, binary string, l launch) (*program, error) {
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, binary, l.args...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = l.env, l.dir, stopLimit
	p := &program{stderr: &notes{}, stop: cancel, ended: make(chan struct{}), lines: make(chan string, 64)}
	cmd.Stderr = p.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("start %s: %w", binary, err)
	}
	p.stdin, p.signal = stdin, cmd.Process.Signal
	go func() {
		p.read(ctx, stdout)
		err := cmd.Wait()
		if _, exited := errors.AsType[*exec.ExitError](err); !exited {
			p.err = err
		}
		p.code = cmd.ProcessState.ExitCode()
		close(p.ended)
	}()
	return p, nil
}

// startServe calls serve. Its context ends when ctx ends, or by a signal.
func startServe(ctx context.Context, o Options, l launch) *program {
	ctx, cancel := context.WithCancel(ctx)
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	p := &program{
		stdin: stdin, lines: make(chan string, 64), stderr: &notes{}, ended: make(chan struct{}),
		signal: func(os.Signal) error { cancel(); return nil },
		stop: func() {
			cancel()
			stdin.Close()
			stdout.Close()
		},
	}
	code := make(chan int, 1)
	go func() {
		code <- o.Serve(ctx, l.args, in, out, p.stderr, l.env)
		in.Close()
		out.Close()
	}()
	go func() {
		p.read(context.WithoutCancel(ctx), stdout)
		p.code = <-code
		close(p.ended)
	}()
	return p
}

// read sends the lines of r until r or ctx ends.
func (p *program) read(ctx context.Context, r io.Reader) {
	defer close(p.lines)
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			select {
			case p.lines <- strings.TrimSuffix(line, "\n"):
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// discard kills a program and waits until it has ended, at most stopLimit.
func (p *program) discard() {
	p.stop()
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	for {
		select {
		case _, more := <-p.lines:
			if !more {
				p.lines = nil
			}
		case <-p.ended:
			return
		case <-limit.C:
			return
		}
	}
}

// notes stores standard error. The harness may read it while the program writes.
type notes struct {
	mu   sync.Mutex
	text strings.Builder
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}
