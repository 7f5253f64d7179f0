//go:build unix

package watchdog

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/boottime"
)

// A Watchdog kills the commands that run when its limit has passed since the last renewal, and refuses others from then until the
// next renewal. Before the first renewal there is no limit, and there are no processes. It is safe for use by several goroutines. A
// nil Watchdog limits nothing.
type Watchdog struct {
	limit time.Duration
	cause error
	start Starter

	mu       sync.Mutex
	closed   bool
	until    time.Duration // when the limit has passed; 0: there was no renewal
	commands map[*Command]bool
	children [2]*child      // nil: it has to be started
	readers  sync.WaitGroup // a goroutine for each child
}

// New returns a Watchdog, which the caller must Close. Cause is the error of commands that it kills or refuses. Start starts its
// processes.
func New(limit time.Duration, cause error, start Starter) *Watchdog {
	return &Watchdog{limit: limit, cause: cause, start: start, commands: map[*Command]bool{}}
}

// Renew counts the limit from the time at which a successful renewal was sent, by the clock of package boottime, not from the time
// of the call: the lease may have begun then. A time before that of an earlier call changes nothing. If the limit has passed before
// the call, the commands that ran are killed, whatever sent is.
func (w *Watchdog) Renew(sent time.Duration) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := boottime.Now()
	w.check(now) // commands that ran when the limit passed do not outlive this renewal
	until := min(sent, now) + w.limit
	if w.closed || until <= w.until {
		return
	}
	w.until = until
	for _, c := range w.children {
		if c != nil && c.silent(now, w.limit/3) {
			w.drop(c)
		}
	}
	w.send(func(c *child) error { return c.renew(until, now) })
	if len(w.commands) > 0 {
		_ = w.fill() // an error has killed the commands
	}
	w.check(now)
}

// check kills all commands if the limit has passed. The processes of the watchdog do the same, but this process can have been
// stopped at that time, and must not count a command as alive that they have missed.
func (w *Watchdog) check(now time.Duration) {
	if w.passed(now) {
		w.kill(w.cause)
	}
}

func (w *Watchdog) passed(now time.Duration) bool { return w.until != 0 && now >= w.until }

// kill kills all commands, for this reason.
func (w *Watchdog) kill(reason error) {
	for c := range w.commands {
		c.kill(reason)
	}
}

// send sends a line to every process that runs.
func (w *Watchdog) send(line func(*child) error) {
	for _, c := range w.children {
		if c != nil && line(c) != nil {
			w.drop(c)
		}
	}
}

// ensure starts the processes if there is a limit and none runs. If one of them is missing, Renew starts it.
func (w *Watchdog) ensure() error {
	if w.until == 0 || w.closed || w.children != [len(w.children)]*child{} {
		return nil
	}
	return w.fill()
}

// fill starts the processes that are missing: they learn the state, so no line is lost. An error means that none runs; commands
// are then killed.
func (w *Watchdog) fill() error {
	var problems []error
	var started [len(w.children)]*child
	for i, c := range w.children {
		if c != nil {
			continue
		}
		var err error
		if started[i], err = startChild(w.start); err != nil {
			problems = append(problems, err)
		}
	}
	for i, c := range started { // they start at the same time
		if c == nil {
			continue
		}
		if err := w.greet(c); err != nil {
			problems = append(problems, err)
			c.end()
			c.reap()
			continue
		}
		w.children[i] = c
		w.readers.Go(func() { w.read(c) })
	}
	if w.children == [len(w.children)]*child{} {
		err := fmt.Errorf("the watchdog of commands cannot be started: %w", errors.Join(problems...))
		w.kill(err)
		return err
	}
	return nil
}

// greet sends the state to a new process, and waits until it has read it.
func (w *Watchdog) greet(c *child) error {
	for command := range w.commands {
		if err := c.register(command); err != nil {
			return err
		}
	}
	if err := c.renew(w.until, boottime.Now()); err != nil {
		return err
	}
	return c.awaitAnswer()
}

// read reads the answers of a process to its end, and replaces it.
func (w *Watchdog) read(c *child) {
	for {
		n, err := c.read()
		w.mu.Lock()
		c.unanswered -= n
		w.mu.Unlock()
		if err != nil {
			break
		}
	}
	c.reap()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop(c)
	if !w.closed && len(w.commands) > 0 {
		_ = w.fill() // an error has killed the commands
	}
}

// drop ends a process, which need not have failed.
func (w *Watchdog) drop(c *child) {
	c.end()
	if i := slices.Index(w.children[:], c); i >= 0 {
		w.children[i] = nil
	}
}

// Close ends the processes. It must be called once, when all commands have ended.
func (w *Watchdog) Close() {
	if w == nil {
		return
	}
	w.mu.Lock()
	w.closed = true
	for _, c := range w.children {
		if c != nil {
			w.drop(c)
		}
	}
	w.mu.Unlock()
	w.readers.Wait()
}

// A Command is a command that a Watchdog guards. A nil Command belongs to no Watchdog.
type Command struct {
	watchdog *Watchdog
	mark     string
	group    int   // 0: it is not started
	err      error // why it was killed
}

// Command registers a command that is about to be started, whose processes have mark in their environment. The error means that it
// must not be started. The caller must Remove it.
func (w *Watchdog) Command(mark string) (*Command, error) {
	if w == nil {
		return nil, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.passed(boottime.Now()) {
		return nil, w.cause
	}
	c := &Command{watchdog: w, mark: mark}
	w.commands[c] = true
	w.send(func(to *child) error { return to.register(c) })
	if err := w.ensure(); err != nil {
		delete(w.commands, c)
		return nil, err
	}
	return c, nil
}

// Started registers the process group of the command. If its time is over by now, it is killed at once.
func (c *Command) Started(group int) {
	if c == nil {
		return
	}
	w := c.watchdog
	w.mu.Lock()
	defer w.mu.Unlock()
	c.group = group
	if c.err != nil {
		_ = unix.Kill(-group, unix.SIGKILL)
	}
	w.send(func(to *child) error { return to.register(c) })
	_ = w.ensure() // an error has killed the command
	w.check(boottime.Now())
}

// Err returns why the command was killed; nil: the Watchdog has not killed it.
func (c *Command) Err() error {
	if c == nil {
		return nil
	}
	w := c.watchdog
	w.mu.Lock()
	defer w.mu.Unlock()
	w.check(boottime.Now())
	return c.err
}

// Remove unregisters a command that has ended. The number of its group must not be free for reuse yet.
func (c *Command) Remove() {
	if c == nil {
		return
	}
	w := c.watchdog
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.commands, c)
	w.send(func(to *child) error { return to.remove(c) })
}

// kill kills the command's group, once.
func (c *Command) kill(reason error) {
	if c.err != nil {
		return
	}
	c.err = reason
	if c.group != 0 {
		_ = unix.Kill(-c.group, unix.SIGKILL)
	}
}
