// Package stage is what tests of the built program share: the folders that it is started in,
// a process over pipes, model servers that report their requests, commands that report when
// they run, disks that fill, and what a process leaves behind. It knows no protocol.
package stage

import (
	"testing"
	"time"
)

// Patience is how long anything may take that is waited for. Tests never wait for it to pass.
const Patience = 60 * time.Second

// Await takes one event of a channel, which must come.
func Await[T any](t testing.TB, events <-chan T, what string) T {
	t.Helper()
	select {
	case e := <-events:
		return e
	case <-time.After(Patience):
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}
