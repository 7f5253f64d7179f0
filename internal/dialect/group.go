package dialect

import (
	"runtime/debug"
	"sync"

	"parley.dev/parley/internal/lock"
)

// A Group starts the goroutines of a connection, and waits for them. A panic in one of them ends the connection, and nothing
// else: it is logged with its stack, and [Server.Run] ends with ExitInternal.
type Group struct {
	out     *Output
	counted bool
	running sync.WaitGroup
}

// maxAnswers is how many requests of a connection may be answered at once by the goroutines of NewAnswers.
const maxAnswers = 100

// NewAnswers returns a Group for requests whose answer takes a while. While maxAnswers of them are not in the outbox, the
// connection is not read: a client that does not read its answers must not have any number of them in memory.
func NewAnswers(out *Output) *Group { return &Group{out: out, counted: true} }

// NewGroup returns a Group of the connection that an output belongs to.
func NewGroup(out *Output) *Group { return &Group{out: out} }

// Go starts a goroutine.
func (g *Group) Go(work func()) {
	if g.counted {
		g.out.answers.add(1)
	}
	g.running.Go(func() {
		if g.counted {
			defer g.out.answers.add(-1)
		}
		defer g.out.Recover()
		work()
	})
}

// Wait waits for all goroutines that were started.
func (g *Group) Wait() { g.running.Wait() }

// Recover is deferred by what runs on a goroutine of the connection: after a panic it ends the connection.
func (o *Output) Recover() {
	if p := recover(); p != nil {
		o.log.Error("internal error", "panic", p, "stack", string(debug.Stack()))
		o.broke.Do(func() {
			o.panicked = p
			close(o.broken)
		})
	}
}

// Broken is closed when something of the connection has panicked.
func (o *Output) Broken() <-chan struct{} { return o.broken }

// answers counts requests whose answer takes a while.
type answers struct {
	mu    lock.Mutex
	n     int
	fewer chan struct{} // closed when n decreases; nil: nothing waits for that
}

func (a *answers) add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n += n
	if n < 0 && a.fewer != nil {
		close(a.fewer)
		a.fewer = nil
	}
}

// await waits until fewer than maxAnswers are not answered.
func (a *answers) await() {
	for {
		wait := a.full()
		if wait == nil {
			return
		}
		<-wait
	}
}

// full returns what is closed when there are fewer answers; nil: another request may be read.
func (a *answers) full() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.n < maxAnswers {
		return nil
	}
	if a.fewer == nil {
		a.fewer = make(chan struct{})
	}
	return a.fewer
}
