//go:build linux

package faults

import (
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

// A phase is where in its life a process meets a fault.
type phase struct {
	name    string
	session bool // there is one, with a turn in it
	turn    bool // the turn of workPrompt runs
	model   bool // and the model is about to speak, or speaks

	// The answers of the model: those before the one that the phase is about, what that has
	// said, and what it would say further; "text" in both is what the turn says in the end.
	before  func(f *face) []modeltest.Reply
	opening func(f *face) []modeltest.Part
	rest    func(f *face, done []modeltest.Part) []modeltest.Part
	sums    bool   // the first turn fills the context
	after   bool   // another answer follows, with what the turn says in the end
	begins  string // what opening shows
	ends    string // what the whole answer says before what the turn says in the end

	reach func(r *run)
}

// command is what tools run in the phase in which one runs: it, a child, and one that left for
// a session of its own hold the pipe.
const command = `{ sleep 1000 & setsid sleep 1000 & echo started >&3; read go <go; echo $go; } 3>hold`

func call(f *face, command string) modeltest.Part {
	return modeltest.Call("a", f.shell, f.input(command))
}

// otherInput is the end of a call whose input is cut in two.
const otherInput = `ing"}`

func restOfInput() modeltest.Part {
	return modeltest.Raw(fmt.Sprintf(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":%q,"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":%q}}]},"finish_reason":null}]}`+"\n\n",
		modeltest.Model, otherInput))
}

func nothing(*face) []modeltest.Part { return nil }

func theEnd(_ *face, done []modeltest.Part) []modeltest.Part { return done }

var unspoken = phase{name: "unspoken", reach: func(*run) {}}

var idle = phase{name: "idle", session: true, reach: func(r *run) {
	r.client.open(r)
	r.say(firstPrompt, firstAnswer)
	r.asks.allow(false)
}}

var silent = phase{
	name: "silent", session: true, turn: true, model: true, opening: nothing, rest: theEnd,
	reach: func(r *run) {
		idle.reach(r)
		r.prompt()
		stage.Await(r, r.work.arrived, "the request")
		r.taken()
	},
}

var text_ = phase{
	name: "text", session: true, turn: true, model: true, begins: "Half an ans", ends: "Half an answer. ",
	opening: func(*face) []modeltest.Part { return []modeltest.Part{modeltest.Text("Half an ans")} },
	rest: func(_ *face, done []modeltest.Part) []modeltest.Part {
		return append([]modeltest.Part{modeltest.Text("wer. ")}, done...)
	},
	reach: func(r *run) {
		silent.reach(r)
		r.await(text)
	},
}

var inputs = phase{
	name: "input", session: true, turn: true, model: true, begins: "Let me see. ", ends: "Let me see. ", after: true,
	opening: func(f *face) []modeltest.Part {
		return []modeltest.Part{modeltest.Text("Let me see. "), modeltest.Call("a", f.shell, strings.TrimSuffix(f.input("echo going"), otherInput))}
	},
	rest: func(*face, []modeltest.Part) []modeltest.Part { return []modeltest.Part{restOfInput()} },
	reach: func(r *run) {
		silent.reach(r)
		r.asks.allow(true)
		r.await(text)
		if r.face.shows {
			r.await(input)
		}
	},
}

var waits = phase{
	name: "asked", session: true, turn: true, after: true,
	opening: func(f *face) []modeltest.Part {
		return []modeltest.Part{call(f, "touch effect")}
	},
	reach: func(r *run) {
		silent.reach(r)
		r.await(asked)
	},
}

var runs = phase{
	name: "tool", session: true, turn: true, after: true,
	opening: func(f *face) []modeltest.Part { return []modeltest.Part{call(f, command)} },
	reach: func(r *run) {
		idle.reach(r)
		r.asks.allow(true)
		r.prompt()
		stage.Await(r, r.work.arrived, "the request")
		r.taken()
		r.held.Started()
	},
}

var between = phase{
	name: "between", session: true, turn: true, model: true, opening: nothing, rest: theEnd,
	before: func(f *face) []modeltest.Reply { return []modeltest.Reply{modeltest.Stream(call(f, "echo done"))} },
	reach: func(r *run) {
		idle.reach(r)
		r.asks.allow(true)
		r.prompt()
		stage.Await(r, r.work.arrived, "the request")
		r.taken()
		r.await(returned)
		stage.Await(r, r.work.arrived, "the request after the call")
	},
}

var over = phase{
	name: "ended", session: true, opening: nothing, rest: theEnd,
	reach: func(r *run) {
		idle.reach(r)
		r.openGate()
		r.prompt()
		r.taken()
		r.await(ended)
	},
}

var compacts = phase{
	name: "compacting", session: true,
	reach: func(r *run) {
		idle.reach(r)
		r.send(r.client.compact())
		stage.Await(r, r.sums.arrived, "the request for a summary")
	},
}

// full is the context: the model sums up before it answers.
var full = phase{
	name: "full", session: true, turn: true, opening: nothing, rest: theEnd, sums: true,
	reach: func(r *run) {
		idle.reach(r)
		r.prompt()
		stage.Await(r, r.sums.arrived, "the request for a summary")
		r.taken()
	},
}

var phases = []*phase{&unspoken, &idle, &silent, &text_, &inputs, &waits, &runs, &between, &over, &compacts, &full}

// script returns what the model answers to the prompt of the phase, and to another like it.
func (r *run) script() (script []modeltest.Reply) {
	p, last := r.phase, modeltest.Stream(r.done()...)
	if p.before != nil {
		script = p.before(r.face)
	}
	if r.fault.answers != nil {
		return append(script, r.fault.answers(r)...)
	}
	if p.opening == nil {
		return []modeltest.Reply{last}
	}
	parts := p.opening(r.face)
	if r.fault.command != "" {
		parts = []modeltest.Part{call(r.face, r.fault.command)}
	}
	if p.rest != nil {
		parts = append(append(parts, modeltest.Wait(r.gate)), p.rest(r.face, r.done())...)
	}
	return append(script, modeltest.Stream(parts...), last)
}

// summaries returns the model's answers to requests for a summary: in the phase, and later.
func (r *run) summaries() []modeltest.Reply {
	summary := modeltest.Text("## Goal\nRemember 7.")
	all := slices.Repeat([]modeltest.Reply{modeltest.Stream(summary)}, 4)
	switch {
	case r.phase == &compacts && r.fault.answers != nil:
		return r.fault.answers(r)
	case r.phase == &compacts || r.phase == &full:
		return append([]modeltest.Reply{modeltest.Stream(modeltest.Wait(r.gate), summary)}, all...)
	}
	return nil
}

// firstAnswers returns what it answers to the first prompt.
func (r *run) firstAnswers() modeltest.Reply {
	parts := []modeltest.Part{modeltest.Text(firstAnswer)}
	if r.phase.sums {
		parts = append(parts, modeltest.Text(strings.Repeat(" Seven.", 30_000)), modeltest.Usage(model.Usage{Input: 126_000, Output: 1}))
	}
	return modeltest.Stream(parts...)
}

// answers returns how many of them belong to the turn of the phase.
func (r *run) answers() int {
	if r.agent != nil {
		return 1 // one for each prompt
	}
	n := 1
	if r.phase.before != nil {
		n++
	}
	if r.phase.after {
		n++
	}
	return n
}

// done returns what the turn of the phase says in the end, and doneText is that as text.
func (r *run) done() (parts []modeltest.Part) {
	for _, text := range r.pieces() {
		parts = append(parts, modeltest.Text(text))
	}
	return parts
}

func (r *run) doneText() string { return r.phase.ends + strings.Join(r.pieces(), "") }

func (r *run) pieces() (texts []string) {
	for i := range max(r.fault.deltas, 1) {
		texts = append(texts, r.piece(i))
	}
	return texts
}

func (r *run) piece(i int) string {
	return fmt.Sprintf("Done %d. ", i) + strings.Repeat("Really. ", r.fault.padding/8)
}
