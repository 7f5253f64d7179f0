//go:build linux

package store

import (
	"testing"
	"time"

	"parley.dev/parley/internal/stream"
)

// TestMutants checks that the checker finds mistakes of the driver, and nothing without them.
func TestMutants(t *testing.T) {
	for _, test := range []struct {
		mutant   string
		replicas int
		does     func(t *testing.T, p *place, session string)
	}{
		{noExpectation, 1, wakeAfterTakeover},
		{refusalIsAck, 1, wakeAfterTakeover},
		{reconnectBuffer, 1, interruptAppend},
		{directGet, 1, readAgain},
	} {
		for _, mutant := range []string{"", test.mutant} {
			name := test.mutant
			if mutant == "" {
				name += "/without"
			} else {
				name += "/with"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := newPlace(t, test.replicas, "")
				p.mutant = mutant
				const session = "mutant"
				test.does(t, p, session)
				c := checker{entries: p.history.of(session), content: readContent(t, p.connect(t), namespace, session)}
				found := append(c.check(), linear(c)...)
				if (mutant == "") != (len(found) == 0) {
					for _, e := range c.entries {
						t.Log(e)
					}
					t.Errorf("found: %q", found)
				}
			})
		}
	}
}

// wakeAfterTakeover stops a writer whose append is on its way until another writer has the session.
func wakeAfterTakeover(t *testing.T, p *place, session string) {
	r := newRun(t, p, &phases[1], session, 1)
	r.reach()
	r.victim.pause()
	r.take(r.other)
	r.victim.wake()
	r.victim.link.Resume()
	r.end()
}

// interruptAppend interrupts the connection of a writer for longer than an attempt to publish lasts.
func interruptAppend(t *testing.T, p *place, session string) {
	w := p.writer(t, "writer", nil)
	w.must(command{Do: opCreate, Session: session})
	w.write(session, 1)
	w.link.Refuse()
	if p.mutant != "" { // before that it would not buffer
		p.history.await(t, "the mutant to notice", func(e entry) bool { return e.Do == opInterrupted })
	}
	w.send(command{Do: opAppend, Session: session, Count: 1, Size: 100})
	op := w.send(command{Do: opSync, Session: session})
	elapse(t, stream.AnswerTimeout+time.Second)
	w.link.Resume()
	w.ended(op)
}

// readAgain reads a session before and after an append of another writer.
func readAgain(t *testing.T, p *place, session string) {
	w, reader := p.writer(t, "writer", nil), p.writer(t, "reader", nil)
	w.must(command{Do: opCreate, Session: session})
	for range 3 {
		w.write(session, 2)
		reader.must(command{Do: opRead, Session: session})
	}
}
