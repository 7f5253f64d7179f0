//go:build linux

package faults

import (
	"syscall"

	"parley.dev/parley/e2e/stage"
)

// flood is more pieces of text than a pipe holds.
const flood = 4000

var processFaults = []fault{
	{group: "process", name: "killed", does: func(r *run) {
		r.proc.Kill()
		r.tap.end()
		r.checkWire(false)
		r.heir()
	}},
	{group: "process", name: "TERM", does: signalled(syscall.SIGTERM, "term")},
	{group: "process", name: "INT", does: signalled(syscall.SIGINT, "int")},
	{group: "process", name: "HUP", does: signalled(syscall.SIGHUP, "hup")},
	{group: "process", name: "EOF", does: inputEnds},
	{group: "process", name: "closed", does: func(r *run) { // as clients leave: both at once
		r.hangUp()
		_ = r.proc.Cmd.Process.Signal(syscall.SIGTERM) // it may be gone already
		if r.phase == &waits {                         // whichever is seen first: the end denies the call, and the turn goes on
			r.opening.Do(func() { close(r.gate) })
			r.await(ended)
			r.exits("close")
			return
		}
		r.leaves("close")
	}},
	{group: "process", name: "twice", command: stage.Stubborn, does: func(r *run) {
		r.proc.Signal(syscall.SIGTERM)
		r.held.Asked()
		r.proc.Signal(syscall.SIGTERM)
		r.tap.end()
		r.wantExit("twice")
		r.checkWire(false)
		r.heir()
	}},
	{group: "process", name: "unheard", does: outputGone},
	{group: "process", name: "stalled", deltas: flood, does: readerStalls},
	{group: "process", name: "interrupted", does: interruptedNow},
}

// signalled is a signal that asks the process to end: the running turn is interrupted and told.
func signalled(sig syscall.Signal, way string) func(*run) {
	return func(r *run) {
		r.proc.Signal(sig)
		r.leaves(way)
	}
}

// leaves waits for the end of a process that interrupts what runs.
func (r *run) leaves(way string) {
	r.Helper()
	if r.phase.turn {
		r.wantEnded(interrupted)
	}
	r.exits(way)
}

// exits waits for the end of a process that has told the end of what ran.
func (r *run) exits(way string) {
	r.Helper()
	r.wantExit(way)
	r.checkWire(true)
	r.heir()
}

// inputEnds is the end of input: as the dialect has it the running turn finishes, or is
// interrupted.
func inputEnds(r *run) {
	r.hangUp()
	if r.phase.turn && !r.face.finishes {
		r.leaves("eof")
		return
	}
	if r.phase == &waits {
		r.opening.Do(func() { close(r.gate) }) // nobody is there to answer
	} else {
		r.goOn()
	}
	if r.phase.turn {
		r.wantEnded(completed)
		if got := said(r.tap.heard(), r.begun); got != r.doneText() {
			r.Errorf("the turn says %q, want %q", got, r.doneText())
		}
		if r.phase == &waits && r.exists("effect") {
			r.Error("a call ran that nobody allowed")
		}
	}
	r.wantExit("eof")
	r.checkWire(true)
	r.heir()
}

// outputGone is a client that has closed its end of the output, and is there otherwise.
func outputGone(r *run) {
	r.unread = true
	r.proc.Stdout.Close()
	r.tap.end() // it is closed for good only when nobody reads from it any more
	syscall.ForkLock.Lock()
	syscall.ForkLock.Unlock() //nolint:staticcheck // nor is about to start a process, which has it too for a moment
	switch {
	case r.phase == &unspoken:
		write(r.stdin, r.client.knock())
	case r.phase.turn:
		r.goOn()
	default:
		r.opening.Do(func() { close(r.gate) })
		write(r.stdin, r.client.prompt(workPrompt))
	}
	r.wantExit("gone")
	r.checkWire(false)
	r.heir()
}

// readerStalls is a client that reads nothing until the model has said everything, and then
// finds all of it.
func readerStalls(r *run) {
	goOn := r.tap.stall()
	switch {
	case r.phase.turn:
		r.goOn()
		for range r.answers() {
			stage.Await(r, r.work.finished, "the model to finish")
		}
	case r.phase == &compacts:
		r.goOn()
		stage.Await(r, r.sums.finished, "the summary")
	default:
		r.send(r.client.prompt(thenPrompt))
		stage.Await(r, r.then.finished, "the answer")
	}
	goOn()
	switch {
	case r.phase.turn:
		r.wantEnded(completed)
		if got := said(r.tap.heard(), r.begun); got != r.doneText() {
			r.Errorf("the turn says %d bytes, want %d, or others", len(got), len(r.doneText()))
		}
	case r.phase == &compacts:
		r.await(compacted)
	default:
		r.wantEnded(completed)
		r.endsWell()
		return
	}
	r.goesOn()
}

// interruptedNow is a client's interrupt: it ends what runs, at once, and nothing else.
func interruptedNow(r *run) {
	r.send(r.client.interrupt())
	switch {
	case r.phase.turn:
		r.wantEnded(interrupted)
		r.alone()
	case r.phase == &compacts:
		r.await(compacted)
	}
	r.goesOn()
}
