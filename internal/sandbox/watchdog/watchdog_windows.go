package watchdog

import (
	"sync"
	"time"

	"parley.dev/parley/internal/boottime"
)

// A Watchdog kills the commands that run when its limit has passed since the last renewal, and refuses others from then until the
// next renewal. Before the first renewal there is no limit. It is safe for use by several goroutines. A nil Watchdog limits nothing.
//
// On Windows a timer of this process does it, and no other process: commands end with this process, and there is no signal
// that stops one. A debugger can stop it. Then the commands are killed when it goes on.
type Watchdog struct {
	limit time.Duration
	cause error

	mu       sync.Mutex
	until    time.Duration // when the limit has passed; 0: there was no renewal
	commands map[*Command]bool
	timer    *time.Timer // nil: there was no renewal
}

// New returns a Watchdog, which the caller must Close. Cause is the error of commands that it kills or refuses.
func New(limit time.Duration, cause error) *Watchdog {
	return &Watchdog{limit: limit, cause: cause, commands: map[*Command]bool{}}
}

// Renew counts the limit from the time at which a successful renewal was sent, by the clock of package boottime. A time before that of
// an earlier call changes nothing. If the limit has passed before the call, the commands that ran are killed, whatever sent is.
func (w *Watchdog) Renew(sent time.Duration) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := boottime.Now()
	w.check(now)
	until := min(sent, now) + w.limit
	if until <= w.until {
		return
	}
	w.until = until
	if w.timer == nil {
		w.timer = time.AfterFunc(until-now, w.expire)
	} else {
		w.timer.Reset(until - now)
	}
	w.check(now)
}

// expire is called by the timer.
func (w *Watchdog) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := boottime.Now()
	w.check(now)
	if now < w.until { // it was renewed meanwhile, or the clocks differ
		w.timer.Reset(w.until - now)
	}
}

// check kills all commands if the limit has passed.
func (w *Watchdog) check(now time.Duration) {
	if w.until == 0 || now < w.until {
		return
	}
	for c := range w.commands {
		if c.err == nil {
			c.err = w.cause
			c.kill()
		}
	}
}

// Close stops the timer. It must be called once, when all commands have ended.
func (w *Watchdog) Close() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
}

// A Command is a command that a Watchdog guards. A nil Command belongs to no Watchdog.
type Command struct {
	watchdog *Watchdog
	kill     func()
	err      error // why it was killed
}

// Command registers a command that is about to be started; kill kills it, and may be called before it is. The error means that it must not
// be started. The caller must Remove it.
func (w *Watchdog) Command(kill func()) (*Command, error) {
	if w == nil {
		return nil, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.until != 0 && boottime.Now() >= w.until {
		return nil, w.cause
	}
	c := &Command{watchdog: w, kill: kill}
	w.commands[c] = true
	return c, nil
}

// Err returns why the command was killed; nil: the Watchdog has not killed it.
func (c *Command) Err() error {
	if c == nil {
		return nil
	}
	c.watchdog.mu.Lock()
	defer c.watchdog.mu.Unlock()
	c.watchdog.check(boottime.Now())
	return c.err
}

// Remove unregisters a command that has ended.
func (c *Command) Remove() {
	if c == nil {
		return
	}
	c.watchdog.mu.Lock()
	defer c.watchdog.mu.Unlock()
	delete(c.watchdog.commands, c)
}
