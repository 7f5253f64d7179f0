//go:build linux

package faults

import (
	"fmt"
	"os"
	"syscall"

	"parley.dev/parley/e2e/stage"
)

// flooding returns a command that prints bytes, for which it costs little memory to be heard.
func flooding() string {
	size := 64 << 20
	if os.Getenv("PARLEY_FAULTS") == "all" {
		size = 1 << 30
	}
	return fmt.Sprintf(`echo started >hold; yes | head -c %d; echo last`, size)
}

const (
	// memoryOfFlood bounds what a process may grow by, however much is printed.
	memoryOfFlood = 128 << 20
	// daemons leave processes after in every way: in the group, in a session of their own,
	// twice forked, deaf to signals, with and without the output of the command.
	daemons = `exec 3>hold; echo started >&3; sleep 1000 & setsid sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000' >/dev/null 2>&1 &); ` +
		`(trap '' HUP INT TERM; setsid sleep 1000 &); nohup sleep 1000 >/dev/null 2>&1 & (cd / && setsid sleep 1000 </dev/null >/dev/null 2>&1 &); echo left`
)

var toolFaults = []fault{
	{group: "tool", name: "floods", command: flooding(), does: func(r *run) {
		before := r.proc.Size("status", "VmRSS")
		r.tap.patience *= 10 // a gibibyte takes as long as the machine takes to print it
		r.goOn()
		r.wantEnded(completed)
		grown := r.proc.Size("status", "VmHWM") - before
		if r.Logf("memory grew by %d MiB", grown>>20); grown > memoryOfFlood {
			r.Errorf("that is too much")
		}
		r.goesOn()
	}},
	{group: "tool", name: "leaves daemons", command: daemons, does: func(r *run) {
		r.wantEnded(completed)
		r.alone()
		r.held.WantGone()
		r.goesOn()
	}},
	{group: "tool", name: "leaves daemons, killed", command: daemons + "; sleep 1000", does: func(r *run) {
		r.proc.Kill()
		r.tap.end()
		r.checkWire(false)
		r.heir()
	}},
	{group: "tool", name: "ignores TERM, interrupted", command: stage.Stubborn, does: func(r *run) {
		r.send(r.client.interrupt())
		r.held.Asked()
		r.wantEnded(interrupted)
		r.alone()
		r.goesOn()
	}},
	{group: "tool", name: "ignores TERM, killed", command: stage.Stubborn, does: func(r *run) {
		r.proc.Kill()
		r.tap.end()
		r.checkWire(false)
		r.heir()
	}},
	{group: "tool", name: "ignores TERM, TERM", command: stage.Stubborn, does: func(r *run) {
		r.proc.Signal(syscall.SIGTERM)
		r.held.Asked()
		r.leaves("term")
	}},
	{group: "tool", name: "ignores TERM, closed", command: stage.Stubborn, does: func(r *run) {
		r.hangUp()
		r.proc.Signal(syscall.SIGTERM)
		r.held.Asked()
		r.leaves("close")
	}},
}
