//go:build linux

package faults

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
)

// enterShared starts a dialect whose sessions are in a store that several hosts share.
func enterShared(t *testing.T, f *face, script string) (*insider, *dialecttest.SharedStore) {
	t.Helper()
	var store *dialecttest.SharedStore
	i := enter(t, f, script, time.Now, func(c *engine.Config) {
		store = dialecttest.NewSharedStore(c.Store)
		c.Store = store
	})
	return i, store
}

// line waits for a line after the first from bytes of the output that has all marks.
func (i *insider) line(from int, marks ...string) {
	i.Helper()
	i.tap.until("a line with "+strings.Join(marks, ", "), func([]sign, bool) bool { return i.count(from, marks...) > 0 })
}

// count returns the number of such lines so far.
func (i *insider) count(from int, marks ...string) (n int) {
	for line := range strings.Lines(i.lines()[from:]) {
		if !slices.ContainsFunc(marks, func(mark string) bool { return !strings.Contains(line, mark) }) {
			n++
		}
	}
	return n
}

// remedy is in an error that names the host which has a session.
const remedy = "host " + dialecttest.OtherHost + " (" + dialecttest.OtherOwner + "): stop it there, or connect to that host"

// A waitingPrompt is one that waits for the end of the turn, as the lines of a dialect.
type waitingPrompt struct {
	prompt   string
	accepted []string // marks of a line that is sent after it was accepted
	moved    []string // marks of the line that ends it when the session moves to another host
}

var waitingPrompts = map[string]waitingPrompt{
	"acp": {
		`{"jsonrpc":"2.0","id":"waiting","method":"session/prompt","params":{"sessionId":"$SESSION","prompt":[{"type":"text","text":$TEXT}]}}` +
			"\n" + `{"jsonrpc":"2.0","id":"after","method":"unknown","params":{}}`,
		[]string{`"id":"after"`},
		[]string{`"id":"waiting","error":{"code":-32600,`, `"reason":"moved"`},
	},
	"agentair": {
		`{"session_id":$SESSION,"content":$TEXT,"turn_id":{"role":"User","sequence":$N}}` + "\n" + `{"CreateSession":{}}`,
		[]string{`"Session 2 created`},
		[]string{`{"Error":{"message":"Failed to send message to session 1: session `},
	},
	"loaf": {
		`{"jsonrpc":"2.0","id":1000,"method":"session.send","params":{"session_id":"$SESSION","text":$TEXT,"enqueue":true}}`,
		[]string{`"id":1000`, `"queued":true`},
		[]string{`"method":"session.error"`},
	},
	"pisces": {
		`{"id":"waiting","type":"prompt","message":$TEXT,"streamingBehavior":"followUp"}`,
		[]string{`"id":"waiting"`, `"success":true`},
		[]string{`"type":"prompt_result"`, `"id":"waiting"`, `"status":"error"`},
	},
}

// TestMoved has another host take a session over. The turn that runs fails for that reason, a prompt that waits is answered once,
// and later prompts are refused with the name of the host.
func TestMoved(t *testing.T) {
	for _, phase := range []struct {
		name    string
		command string // that the model runs
		has     func(f *face) bool
		reach   func(i *insider)
	}{
		{"text", "echo done", nil, func(i *insider) {
			i.await(returned)
			i.await(text)
		}},
		{"tool", "sleep 1000", nil, func(i *insider) { i.await(called) }},
		{"asked", "touch effect", func(f *face) bool { return f.asks }, func(i *insider) { i.await(asked) }},
		{"waiting", "echo done", func(f *face) bool { return waitingPrompts[f.name].prompt != "" }, func(i *insider) {
			i.await(returned)
			i.await(text)
			w, from := waitingPrompts[i.face.name], len(i.lines())
			i.send(i.client.speaks().Fill(w.prompt, "Later.") + "\n")
			i.line(from, w.accepted...)
		}},
	} {
		for _, f := range insideFaces() {
			if phase.has != nil && !phase.has(f) {
				continue
			}
			t.Run(f.name+"/"+phase.name, func(t *testing.T) {
				known := goleak.IgnoreCurrent()
				i, store := enterShared(t, f, strings.ReplaceAll(insideScript(f), "echo done", phase.command))
				i.client.open(i.run)
				i.say(firstPrompt, firstAnswer)
				i.asks.allow(phase.name != "asked")
				from := len(i.lines())
				i.prompt()
				phase.reach(i)
				store.Lose()
				i.wantEnded(failed)
				i.line(from, "the session has moved to another host")
				if w := waitingPrompts[f.name]; phase.name == "waiting" {
					i.line(from, append(w.moved, remedy)...)
				}
				i.asks.allow(true) // which is late
				from = len(i.lines())
				i.send(i.client.prompt(thenPrompt))
				i.line(from, remedy)
				i.hangUp()
				i.awaitEnd()
				if w := waitingPrompts[f.name]; phase.name == "waiting" && i.count(0, append(w.moved, remedy)...) != 1 {
					t.Errorf("the prompt that waited is answered more than once: %s", i.lines())
				}
				goleak.VerifyNone(t, known)
			})
		}
	}
}

// TestOutcomeUnknown has the store not answer. After 10 s each client is sent that the outcome of its prompt is unknown; the prompt
// has its turn when the store answers.
func TestOutcomeUnknown(t *testing.T) {
	for _, f := range insideFaces() {
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				i, store := enterShared(t, f, insideScript(f))
				i.client.open(i.run)
				i.say(firstPrompt, firstAnswer)
				synctest.Wait() // the lease is released
				ack := store.Hold()
				from, began := len(i.lines()), time.Now()
				i.prompt()
				i.line(from, "has not acknowledged it, and the outcome is unknown")
				if waited := time.Since(began); waited != 10*time.Second {
					t.Errorf("after %v, want 10s", waited)
				}
				ack()
				i.await(returned)
				i.await(text)
				close(i.stop)
				i.awaitEnd()
			})
		})
	}
}
