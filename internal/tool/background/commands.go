package background

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

// The most commands of a session.
const (
	MaxRunning = 16 // that run
	MaxEnded   = 16 // that have ended, and can still be read
)

// Commands are the commands of a session that outlive the calls which started them: they end
// by themselves, when they are stopped, or with the session. The same confinement holds for
// them as for any command, until they end. It is safe for use by several goroutines.
type Commands struct {
	ctx    context.Context // of all commands
	cancel context.CancelFunc
	ending sync.WaitGroup // a goroutine for each command

	mu       sync.Mutex
	closed   bool
	serial   int        // of the last command
	starting []*Command // not in commands yet
	commands []*Command // in the order in which they were started
}

// New returns Commands without any. The caller must Close them, before the
// Spawner of the commands.
func New() *Commands {
	b := &Commands{}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
}

// Close ends all commands and waits for their end. A start that comes after it fails.
func (b *Commands) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.cancel()
	b.ending.Wait()
}

// A Command is a command that runs, or has run, in the background. Start needs Command, Dir, Confine and Environ.
type Command struct {
	ID      string // given by Start
	Call    string // the tool call that starts it
	Name    string // of the caller's choice; "": none
	Command string // shell text
	Dir     approval.Path
	Confine sandbox.Policy
	Environ []string

	Stdout, Stderr Ring
	Ended          chan struct{} // closed when it has ended, and all its output is in the rings
	cancel         context.CancelFunc

	typing sync.Mutex // held while something is written to stdin
	stdin  *os.File

	mu      sync.Mutex
	news    chan struct{} // closed, and another, when there is new output
	closed  bool          // stdin was closed
	stopped bool          // on demand
	known   bool          // a result or Ended has reported that it has ended
	exit    *sandbox.Exit // nil: it runs
}

// Start starts a command. When ctx ends before the command has begun, it does not.
func (b *Commands) Start(ctx context.Context, spawner *sandbox.Spawner, c *Command) error {
	if err := b.enter(c); err != nil {
		return err
	}
	process, err := b.spawn(ctx, spawner, c)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.starting = slices.DeleteFunc(b.starting, func(other *Command) bool { return other == c })
	if err != nil {
		return err
	}
	b.commands = append(b.commands, c)
	b.ending.Go(func() { b.await(c, process) })
	return nil
}

// enter makes room for a command and gives it its id.
func (b *Commands) enter(c *Command) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	running := 0
	for _, other := range slices.Concat(b.starting, b.commands) {
		if !other.Running() {
			continue
		}
		running++
		if c.Name != "" && other.Name == c.Name {
			return fmt.Errorf("%s runs under the name %q: stop it first, or choose another name", other.ID, c.Name)
		}
	}
	switch {
	case b.closed:
		return errors.New("the session is over")
	case running >= MaxRunning:
		return fmt.Errorf("%d background commands run already: stop one first", running)
	}
	b.starting = append(b.starting, c)
	b.serial++
	c.ID = fmt.Sprintf("b%d", b.serial)
	return nil
}

func (b *Commands) spawn(ctx context.Context, spawner *sandbox.Spawner, c *Command) (*sandbox.Process, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	c.stdin, c.news, c.Ended = write, make(chan struct{}), make(chan struct{})
	c.Stdout.wrote, c.Stderr.wrote = c.wake, c.wake
	own, cancel := context.WithCancel(b.ctx)
	c.cancel = cancel
	begun := context.AfterFunc(ctx, cancel)
	process, err := spawner.Start(own, sandbox.Command{
		Path: shell.Path(), Args: shell.Args(c.Command), Dir: c.Dir.Path, Env: c.Environ,
		Stdin: read, Stdout: &c.Stdout, Stderr: &c.Stderr, Confine: c.Confine,
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
func (b *Commands) await(c *Command, process *sandbox.Process) {
	exit := process.Wait()
	c.cancel()
	c.Stdout.end()
	c.Stderr.end()
	c.CloseStdin()
	c.mu.Lock()
	c.exit = &exit
	c.mu.Unlock()
	close(c.Ended)

	b.mu.Lock()
	defer b.mu.Unlock()
	ended := 0
	for i, other := range slices.Backward(b.commands) {
		if !other.Running() {
			if ended++; ended > MaxEnded {
				b.commands = slices.Delete(b.commands, i, i+1)
			}
		}
	}
}

// Find returns the command with that id, or, if one with it runs, that name.
func (b *Commands) Find(id string) (*Command, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var named *Command
	for _, c := range b.commands {
		if c.ID == id {
			return c, nil
		}
		if c.Name == id && id != "" {
			named = c // the newest
		}
	}
	if named == nil {
		return nil, fmt.Errorf("there is no background command %q", id)
	}
	return named, nil
}

// List returns all commands, those that have ended too.
func (b *Commands) List() []*Command {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.commands)
}

// Running returns a line for each command that runs: its id, its name and its first line.
func (b *Commands) Running() []string {
	var lines []string
	for _, c := range b.List() {
		if c.Running() {
			lines = append(lines, c.Title())
		}
	}
	return lines
}

// Ended returns a line for each command that has ended, which nothing has reported yet: what ran, how it
// ended, and how much of its output is not read.
func (b *Commands) Ended() []string {
	var lines []string
	for _, c := range b.List() {
		if c.Running() || c.Reported() {
			continue
		}
		line := c.Title() + ": " + c.Status()
		if unread := c.Stdout.Unread() + c.Stderr.Unread(); unread > 0 {
			line += ", " + Characters(unread) + " of its output not read"
		}
		lines = append(lines, line)
	}
	return lines
}

// Reported reports whether the end of the command was reported; from now on it is, if it has ended.
func (c *Command) Reported() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.known
	c.known = c.exit != nil
	return known
}

func (c *Command) Running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.exit == nil
}

// Status returns how the command is, in words.
func (c *Command) Status() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.exit == nil:
		return "running"
	case c.exit.Killed != nil:
		return "killed: " + c.exit.Killed.Error()
	case c.exit.Interrupted && c.stopped:
		return "stopped"
	case c.exit.Interrupted:
		return "ended with the session"
	case c.exit.Signal != "":
		return "killed by signal " + c.exit.Signal
	}
	return fmt.Sprintf("exit code %d", c.exit.Code)
}

// Title returns the command in one line.
func (c *Command) Title() string {
	label := c.ID
	if c.Name != "" {
		label += " " + workspace.DisplayName(c.Name)
	}
	return fmt.Sprintf("%s: %s", label, FirstLine(c.Command))
}

// wake wakes the goroutines that wait for output.
func (c *Command) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.news)
	c.news = make(chan struct{})
}

// Waiting is closed at the next output.
func (c *Command) Waiting() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.news
}

// Stop ends the command and waits for its end, or for ctx.
func (c *Command) Stop(ctx context.Context) {
	c.mu.Lock()
	c.stopped = c.stopped || c.exit == nil
	c.mu.Unlock()
	c.cancel()
	select {
	case <-c.Ended:
	case <-ctx.Done():
	}
}

// CloseStdin ends the command's input. A write that waits fails.
func (c *Command) CloseStdin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		c.stdin.Close()
	}
}

// MayReach reports whether a call with the limits now may act through what runs, or came to
// be, under the limits then: it must not get around its own.
func MayReach(then, now sandbox.Policy) bool {
	return now.Level == sandbox.Full || then.Equal(now)
}

// FirstLine returns the beginning of a command, for users.
func FirstLine(command string) string {
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

// Characters returns a number of characters in words.
func Characters(n int64) string {
	if n == 1 {
		return "1 character"
	}
	return fmt.Sprintf("%d characters", n)
}
