package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool/shell"
	"parley.dev/parley/internal/tool/workspace"
)

// Caps of a session's background commands.
const (
	maxBackground = 16 // that run
	maxEnded      = 16 // that have ended, and can still be read
)

// Background is a session's commands that outlive the calls which started them: they end
// by themselves, when they are stopped, or with the session. The same confinement holds for
// them as for any command, until they end. It is safe for use by several goroutines.
type Background struct {
	ctx    context.Context // of all commands
	cancel context.CancelFunc
	ending sync.WaitGroup // a goroutine for each command

	mu       sync.Mutex
	closed   bool
	serial   int                  // of the last command
	starting []*backgroundCommand // not in commands yet
	commands []*backgroundCommand // in the order in which they were started
}

// NewBackground returns a Background without commands. The caller must Close it, before the
// Spawner of the commands.
func NewBackground() *Background {
	b := &Background{}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
}

// Close ends all commands and waits for their end. A start that comes after it fails.
func (b *Background) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.cancel()
	b.ending.Wait()
}

// A backgroundCommand is one of them.
type backgroundCommand struct {
	id, name, command string
	dir               approval.Path
	confine           sandbox.Policy
	stdout, stderr    ring
	cancel            context.CancelFunc
	ended             chan struct{} // closed when it has ended, and all its output is in the rings

	typing sync.Mutex // held while something is written to stdin
	stdin  *os.File

	mu      sync.Mutex
	news    chan struct{} // closed, and another, when there is new output
	closed  bool          // stdin was closed
	stopped bool          // on demand
	known   bool          // a result or Ended has reported that it has ended
	exit    *sandbox.Exit // nil: it runs
}

// start starts a command. When ctx ends before the command has begun, it does not.
func (b *Background) start(ctx context.Context, env *Env, c *backgroundCommand) error {
	if err := b.enter(c); err != nil {
		return err
	}
	process, err := b.spawn(ctx, env, c)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.starting = slices.DeleteFunc(b.starting, func(other *backgroundCommand) bool { return other == c })
	if err != nil {
		return err
	}
	b.commands = append(b.commands, c)
	b.ending.Go(func() { b.await(c, process) })
	return nil
}

// enter makes room for a command and gives it its id.
func (b *Background) enter(c *backgroundCommand) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	running := 0
	for _, other := range slices.Concat(b.starting, b.commands) {
		if !other.running() {
			continue
		}
		running++
		if c.name != "" && other.name == c.name {
			return fmt.Errorf("%s runs under the name %q: stop it first, or choose another name", other.id, c.name)
		}
	}
	switch {
	case b.closed:
		return errors.New("the session is over")
	case running >= maxBackground:
		return fmt.Errorf("%d background commands run already: stop one first", running)
	}
	b.starting = append(b.starting, c)
	b.serial++
	c.id = fmt.Sprintf("b%d", b.serial)
	return nil
}

func (b *Background) spawn(ctx context.Context, env *Env, c *backgroundCommand) (*sandbox.Process, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	c.stdin, c.news, c.ended = write, make(chan struct{}), make(chan struct{})
	c.stdout.wrote, c.stderr.wrote = c.tell, c.tell
	own, cancel := context.WithCancel(b.ctx)
	c.cancel = cancel
	begun := context.AfterFunc(ctx, cancel)
	process, err := env.Spawner.Start(own, sandbox.Command{
		Path: shell.Path(), Args: []string{"-c", c.command}, Dir: c.dir.Path, Env: env.environ(c.confine),
		Stdin: read, Stdout: &c.stdout, Stderr: &c.stderr, Confine: c.confine,
	})
	if !begun() && err == nil { // the call has ended first
		process.Wait()
		err = context.Cause(ctx)
	}
	if err != nil {
		cancel()
		write.Close()
		return nil, err
	}
	return process, nil
}

// await sees a command to its end.
func (b *Background) await(c *backgroundCommand, process *sandbox.Process) {
	exit := process.Wait()
	c.cancel()
	c.stdout.end()
	c.stderr.end()
	c.closeStdin()
	c.mu.Lock()
	c.exit = &exit
	c.mu.Unlock()
	close(c.ended)

	b.mu.Lock()
	defer b.mu.Unlock()
	ended := 0
	for i, other := range slices.Backward(b.commands) {
		if !other.running() {
			if ended++; ended > maxEnded {
				b.commands = slices.Delete(b.commands, i, i+1)
			}
		}
	}
}

// find returns the command with that id, or, if one with it runs, that name.
func (b *Background) find(id string) (*backgroundCommand, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var named *backgroundCommand
	for _, c := range b.commands {
		if c.id == id {
			return c, nil
		}
		if c.name == id && id != "" {
			named = c // the newest
		}
	}
	if named == nil {
		return nil, fmt.Errorf("there is no background command %q", id)
	}
	return named, nil
}

// list returns all commands, those that have ended too.
func (b *Background) list() []*backgroundCommand {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.commands)
}

// Running returns a line for each command that runs: its id, its name and its first line.
func (b *Background) Running() []string {
	var lines []string
	for _, c := range b.list() {
		if c.running() {
			lines = append(lines, c.title())
		}
	}
	return lines
}

// Ended returns a line for each command that has ended, which nothing has reported yet: what ran, how it
// ended, and how much of its output is not read.
func (b *Background) Ended() []string {
	var lines []string
	for _, c := range b.list() {
		if c.running() || c.reported() {
			continue
		}
		line := c.title() + ": " + c.status()
		if unread := c.stdout.unread() + c.stderr.unread(); unread > 0 {
			line += ", " + characters(unread) + " of its output not read"
		}
		lines = append(lines, line)
	}
	return lines
}

// reported reports whether the end of the command was reported; from now on it is, if it has ended.
func (c *backgroundCommand) reported() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.known
	c.known = c.exit != nil
	return known
}

func (c *backgroundCommand) running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.exit == nil
}

// status returns how the command is, in words.
func (c *backgroundCommand) status() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.exit == nil:
		return "running"
	case c.exit.Interrupted && c.stopped:
		return "stopped"
	case c.exit.Interrupted:
		return "ended with the session"
	case c.exit.Signal != "":
		return "killed by signal " + c.exit.Signal
	}
	return fmt.Sprintf("exit code %d", c.exit.Code)
}

// title returns the command in one line.
func (c *backgroundCommand) title() string {
	label := c.id
	if c.name != "" {
		label += " " + workspace.DisplayName(c.name)
	}
	return fmt.Sprintf("%s: %s", label, firstLineOf(c.command))
}

// tell wakes the goroutines that wait for output.
func (c *backgroundCommand) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.news)
	c.news = make(chan struct{})
}

// waiting is closed at the next output.
func (c *backgroundCommand) waiting() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.news
}

// stop ends the command and waits for its end, or for ctx.
func (c *backgroundCommand) stop(ctx context.Context) {
	c.mu.Lock()
	c.stopped = c.stopped || c.exit == nil
	c.mu.Unlock()
	c.cancel()
	select {
	case <-c.ended:
	case <-ctx.Done():
	}
}

// closeStdin ends the command's input. A write that waits fails.
func (c *backgroundCommand) closeStdin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		c.stdin.Close()
	}
}

// mayReach reports whether a call with the limits now may act through what runs, or came to
// be, under the limits then: it must not get around its own.
func mayReach(then, now sandbox.Policy) bool {
	return now.Level == sandbox.Full || then.Equal(now)
}

// firstLineOf returns the beginning of a command, for users.
func firstLineOf(command string) string {
	const most = 200
	line := command
	for i, r := range command {
		if r == '\n' || i >= most {
			line = command[:i] + " …"
			break
		}
	}
	return cmp.Or(workspace.DisplayName(line), `""`)
}
