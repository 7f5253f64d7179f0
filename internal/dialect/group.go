package dialect

import (
	"runtime/debug"
	"sync"
)

// A Group starts the goroutines of a connection, and waits for them. A panic in one of them ends the connection, and nothing
// else: it is logged with its stack, and [Server.Run] ends with ExitInternal.
type Group struct {
	out     *Output
	running sync.WaitGroup
}

// NewGroup returns a Group of the connection that an output belongs to.
func NewGroup(out *Output) *Group { return &Group{out: out} }

// Go starts a goroutine.
func (g *Group) Go(work func()) {
	g.running.Go(func() {
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
