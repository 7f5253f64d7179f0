//go:build linux

package faults

import (
	"slices"

	"parley.dev/parley/internal/model/modeltest"
)

// recovery is what the model says when a call of it is made again.
const recovery = "Recovered."

// more is a number of answers after a fault that is enough for every retry.
const more = 8

var modelFaults = []fault{
	{group: "model", name: "refused", does: refusedByModel},
	{group: "model", name: "reset", answers: breaks(modeltest.Cut()), does: settled},
	{group: "model", name: "malformed", answers: breaks(modeltest.Raw("data: {oops}\n\n"), modeltest.End()), does: settled},
	{group: "model", name: "unended", answers: breaks(modeltest.End()), does: settled},
	{group: "model", name: "half a rune", answers: breaks(modeltest.TextJSON("\"\xf0\x9f\""), modeltest.Cut()), does: settled},
	{group: "model", name: "split rune", answers: func(r *run) []modeltest.Reply {
		parts := append(r.phase.opening(r.face), modeltest.TextJSON("\"\xf0\x9f\""), modeltest.TextJSON("\"\x98\x80\""))
		return []modeltest.Reply{modeltest.Stream(parts...)}
	}, does: func(r *run) {
		r.wantEnded(completed)
		if got := said(r.tap.heard(), r.begun); got != "Half an ans😀" {
			r.Errorf("it says %q", got)
		}
		r.goesOn()
	}},
	{group: "model", name: "429", answers: storm(429, 2, "0.01"), does: settled},
	{group: "model", name: "500", answers: storm(500, 2, "0.01"), does: settled},
	{group: "model", name: "529", answers: storm(529, 2, "0.01"), does: settled},
	// What is not over soon is not waited for.
	{group: "model", name: "503 for an hour", answers: storm(503, 1, "3600"), does: fails},
	{group: "model", name: "503 for ever", answers: func(r *run) []modeltest.Reply {
		return storm(503, r.face.retries+1, "0.01")(r)
	}, does: fails},
}

// breaks returns an answer that ends so, after what the phase has said.
func breaks(parts ...modeltest.Part) func(*run) []modeltest.Reply {
	return func(r *run) []modeltest.Reply {
		var opening []modeltest.Part
		if r.phase.opening != nil {
			opening = r.phase.opening(r.face)
		}
		return recovering(modeltest.Stream(append(opening, parts...)...))
	}
}

// storm is failures with a wish when to come again, in seconds.
func storm(status, times int, after string) func(*run) []modeltest.Reply {
	return func(*run) []modeltest.Reply {
		reply := modeltest.Refuse(status, `{"error":{"message":"not now","type":"busy"}}`, "Content-Type", "application/json", "Retry-After", after)
		return recovering(slices.Repeat([]modeltest.Reply{reply}, times)...)
	}
}

func recovering(replies ...modeltest.Reply) []modeltest.Reply {
	return append(replies, slices.Repeat([]modeltest.Reply{modeltest.Stream(modeltest.Text(recovery))}, more)...)
}

// settled is the end of a turn whose model failed: if nothing of the answer was sent, the engine
// retries, and gets an answer; otherwise it cannot, except where the dialect can revoke it.
func settled(r *run) {
	shown := r.phase.begins != ""
	switch {
	case r.phase == &compacts:
		r.await(compacted)
	case shown && !r.face.unshows:
		r.wantEnded(failed)
	default:
		r.recovers()
	}
	r.goesOn()
}

// recovers waits for the end of the turn, which ends well; where each try is a turn on the
// wire, those before end badly.
func (r *run) recovers() {
	r.Helper()
	for {
		s := r.await(ended)
		if s.how == completed {
			break
		}
		if !r.face.unshows || s.how != failed {
			r.Fatalf("the turn is %s", s.how)
		}
	}
	if got := said(r.tap.heard(), r.begun); got != r.phase.begins+recovery {
		r.Errorf("it says %q", got)
	}
}

// fails is the end of a turn whose model fails for good.
func fails(r *run) {
	if r.phase == &compacts {
		r.await(compacted)
		r.goesOn()
		return
	}
	if !r.face.unshows {
		r.wantEnded(failed)
	} else {
		r.tap.until("the last try to end", func(signs []sign, _ bool) bool { return count(signs[r.begun:], ended) >= r.tries() })
	}
	if got := len(r.work.server.Requests()); got != r.tries()+r.answers()-1 {
		r.Errorf("the model was asked %d times, want %d", got, r.tries()+r.answers()-1)
	}
	r.goesOn()
}

// tries returns how often the model is asked that fails for good.
func (r *run) tries() int {
	if r.fault.name == "503 for an hour" {
		return 1
	}
	return r.face.retries + 1
}

// refusedByModel takes the model away while a command runs: the turn fails, once. When it is
// back everything goes on.
func refusedByModel(r *run) {
	r.backend.Refuse(r)
	if r.phase == &idle {
		r.prompt()
		r.accepted = true
	} else {
		r.goOn()
	}
	if r.face.unshows {
		r.tap.until("the last try to end", func(signs []sign, _ bool) bool { return count(signs[r.begun:], ended) >= r.face.retries+1 })
	} else {
		r.wantEnded(failed)
	}
	r.backend.Return(r)
	r.goesOn()
}
