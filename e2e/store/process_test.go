//go:build linux

package store

import (
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/stream/natstest"
)

// testTTL is how long the key of a writer's host lasts: takeovers wait for its end.
const testTTL = 2 * time.Second

// opStep is the distance of the numbers of commands: those that consist of several operations number them.
const opStep = 10_000

// A writer is a writer's process and its network.
type writer struct {
	*stage.Process
	name    string
	link    *natstest.Link
	lost    string // the folder for records that the servers lack
	history *history
	ops     atomic.Int64
	t       testing.TB
}

// startWriter starts a writer that reaches some servers, and waits until it is connected.
func startWriter(t testing.TB, h *history, name, namespace, mutant string, servers []*natstest.Server) *writer {
	t.Helper()
	var urls []string
	for _, s := range servers {
		urls = append(urls, s.URL)
	}
	w := &writer{name: name, link: natstest.NewLink(t, urls...), lost: t.TempDir(), history: h, t: t}
	spec, err := json.Marshal(writerSpec{Name: name, Address: w.link.URL() + "/" + namespace, TTLMS: testTTL.Milliseconds(), Lost: w.lost, Mutant: mutant})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+string(spec))
	w.Process = stage.Launch(t, cmd)
	go h.receive(w.Stdout) // until the process ends
	h.await(t, name+" to connect", func(e entry) bool { return e.Writer == name && e.Do == opReady })
	return w
}

// send sends a command and returns its number.
func (w *writer) send(c command) int {
	w.t.Helper()
	c.Op = int(w.ops.Add(1)) * opStep
	line, err := json.Marshal(c)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.Stdin.Write(append(line, '\n')); err != nil {
		w.t.Fatal(err)
	}
	return c.Op
}

// try is send to a writer that may be killed.
func (w *writer) try(c command) int {
	c.Op = int(w.ops.Add(1)) * opStep
	if line, err := json.Marshal(c); err == nil {
		_, _ = w.Stdin.Write(append(line, '\n'))
	}
	return c.Op
}

// ended waits for the end of a command, and returns it.
func (w *writer) ended(op int) entry {
	w.t.Helper()
	e, ok := w.wait(op, nil)
	if !ok {
		for _, e := range w.history.by(w.name, 12) {
			w.t.Log(e)
		}
		w.t.Fatalf("waited in vain for the end of operation %d of %s", op, w.name)
	}
	return e
}

// wait waits for the end of a command, that of the process, or that of a limit.
func (w *writer) wait(op int, limit <-chan struct{}) (entry, bool) {
	patience := time.After(stage.Patience)
	for {
		e, ok, changed := w.history.end(w.name, op)
		if ok {
			return e, true
		}
		select {
		case <-changed:
			continue
		case <-w.Ended:
		case <-limit:
		case <-patience:
		}
		return entry{}, false
	}
}

// run sends a command and waits for its end.
func (w *writer) run(c command) entry {
	w.t.Helper()
	return w.ended(w.send(c))
}

// must is run of a command that must be acknowledged.
func (w *writer) must(c command) entry {
	w.t.Helper()
	e := w.run(c)
	if e.Outcome != ack {
		w.t.Fatalf("%s", e)
	}
	return e
}

// write appends records and waits until they are stored.
func (w *writer) write(session string, count int) {
	w.t.Helper()
	w.send(command{Do: opAppend, Session: session, Count: count, Size: 300})
	w.must(command{Do: opSync, Session: session})
}

// hasLost reports whether the writer has lost a session.
func (w *writer) hasLost(session string) bool {
	_, ok, _ := w.history.find(func(e entry) bool { return e.Writer == w.name && e.Do == opLost && e.Session == session })
	return ok
}

// pause is SIGSTOP; no thread of the writer runs when it returns.
func (w *writer) pause() { stage.Stop(w.t, w.Cmd.Process.Pid) }

// wake is SIGCONT.
func (w *writer) wake() { w.Signal(syscall.SIGCONT) }
