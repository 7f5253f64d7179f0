package dialect

import (
	"runtime/debug"
	"sync"
)

// A Group starts the goroutines of a connection, and waits for them. A panic in one of them ends the connection, and nothing
// else: it is logged with its stack, and [Server.Run] ends with ExitInternal.
type Group struct {
	out     *Output
	counted bool
	running sync.WaitGroup
}

// NewAnswers returns a Group for requests whose answer takes a while. The line that is being handled when one is started is in
// flight until that one has ended; see maxInFlight.
func NewAnswers(out *Output) *Group { return &Group{out: out, counted: true} }

// NewGroup returns a Group of the connection that an output belongs to.
func NewGroup(out *Output) *Group { return &Group{out: out} }

// Go starts a goroutine.
func (g *Group) Go(work func()) {
	release := func() {}
	if g.counted {
		release = g.out.flight.hold()
	}
	g.running.Go(func() {
		defer release()
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
