//go:build linux

package faults

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"

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
			r.openGate()
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
	{group: "process", name: "unread EOF", deltas: 224, padding: 1024, does: unread("unread", (*run).hangUp)},
	{group: "process", name: "unread TERM", deltas: 224, padding: 1024, does: unread("unread TERM", func(r *run) { r.proc.Signal(syscall.SIGTERM) })},
	{group: "process", name: "unread INT", deltas: 224, padding: 1024, does: unread("unread INT", func(r *run) { r.proc.Signal(syscall.SIGINT) })},
	{group: "process", name: "interrupted", does: interruptedNow},
}

// signalled returns a signal that requests the end of the process: the running turn is interrupted, and its end is sent.
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

// exits waits for the end of a process that has reported the end of what ran.
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
		r.openGate() // no client is there to answer
	} else {
		r.goOn()
	}
	if r.phase.turn {
		r.wantEnded(completed)
		if got := said(r.tap.heard(), r.begun); got != r.doneText() {
			r.Errorf("the turn says %q, want %q", got, r.doneText())
		}
		if r.phase == &waits && r.exists("effect") {
			r.Error("a call ran without an approval")
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
	r.tap.end() // it is closed for good only after the last read has returned
	syscall.ForkLock.Lock()
	syscall.ForkLock.Unlock() //nolint:staticcheck // nor is about to start a process, which has it too for a moment
	switch {
	case r.phase == &unspoken:
		write(r.stdin, r.client.knock())
	case r.phase == &waits: // nothing is written while the call waits
		r.openGate()
	case r.phase.turn:
		r.goOn()
	default:
		r.openGate()
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

// unread returns a client that has stopped reading while more came than a pipe holds, and then ends
// the process: it ends all the same, with the code for that way.
func unread(way string, ends func(*run)) func(*run) {
	return func(r *run) {
		goOn := r.tap.stall()
		r.unread = true
		r.goOn()
		for range r.answers() {
			stage.Await(r, r.work.finished, "the model to finish")
		}
		r.recorded(r.doneText())
		r.full()
		ends(r)
		r.wantExit(way)
		goOn()
		r.tap.end()
		r.checkWire(false)
		r.heir()
	}
}

// recorded waits until the text of an answer is in a journal: the process then has all of it. That
// the model has sent it does not mean that the process has read it from the connection.
func (r *run) recorded(text string) {
	r.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		r.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(stage.Patience)
	for {
		paths, err := filepath.Glob(filepath.Join(r.place.State(), "sessions", "*", "*"))
		if err != nil {
			r.Fatal(err)
		}
		for _, path := range paths {
			if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, quoted) {
				return
			}
		}
		select {
		case <-tick.C:
		case <-limit:
			r.Fatal("the answer is not in the journal")
		}
	}
}

// full waits until the pipe that is not read takes little more: its 64 KiB are pages, which
// lines do not fill to the end.
func (r *run) full() {
	r.Helper()
	conn, err := r.proc.Stdout.SyscallConn()
	if err != nil {
		r.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(stage.Patience)
	for unread := 0; unread < 24<<10; {
		if err := conn.Control(func(fd uintptr) { unread, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) }); err != nil {
			r.Fatal(err)
		}
		select {
		case <-tick.C:
		case <-limit:
			r.Fatal("the output does not fill its pipe")
		}
	}
}

// interruptedNow is a client's interrupt: it ends what runs, at once, and nothing else.
func interruptedNow(r *run) {
	r.send(r.client.interrupt())
	switch {
	case r.phase.turn:
		r.wantEnded(interrupted)
		if r.agent == nil { // else its process stays, with what it has started
			r.alone()
		}
	case r.phase == &compacts:
		r.await(compacted)
	}
	r.goesOn()
}
