package session

import (
	"math"

	"parley.dev/parley/internal/event"
)

// A BackendSession is the session of an agent that has the history, or a beginning of it.
type BackendSession struct {
	event.BackendOpened        // the last one; zero: there was none. Session "": the agent does not have the history
	Seq                 uint64 // of its record
	// Fork reports that Session has more than the history, or is that of another session of ours: a copy of its first Prompts has to
	// be made.
	Fork bool

	prompts []backendPrompt // those that it has answered
	pending backendPrompt   // it has not answered; zero: there is none
	unsure  bool            // it may have got a prompt that is not among prompts
}

// A backendPrompt is a prompt, and the nodes that the history ended in before it: before the turn, and with the notes of the engine.
type backendPrompt struct {
	turn           event.TurnID // "": there is none
	before, parent uint64
}

// Prompts returns how many prompts of Session the history has.
func (b *BackendSession) Prompts() int { return len(b.prompts) }

// open takes what was opened. A session that is neither resumed nor a copy has no prompts yet.
func (b *BackendSession) open(seq uint64, e event.BackendOpened) {
	switch {
	case e.Session == b.Session && e.Copied == b.Copied:
	case e.Forked > 0:
		b.prompts = b.prompts[:min(e.Forked, len(b.prompts)):min(e.Forked, len(b.prompts))]
	default:
		b.prompts, b.unsure = nil, false
	}
	b.BackendOpened, b.Seq, b.Fork = e, seq, e.Copied
}

// promptBackend takes a prompt. Those that come until it is answered belong to it: the agent was steered, or got them together.
func (f *Fold) promptBackend(turn event.TurnID) {
	b := &f.Backend
	if f.State.Settings.Backend != b.Backend {
		b.forget() // another agent, or our own loop, answers it
	}
	if b.pending.turn != "" {
		return
	}
	b.pending = backendPrompt{turn, f.tree.head, f.tree.head}
	if first := len(b.prompts) == 0 || b.prompts[len(b.prompts)-1].turn != turn; first {
		b.pending.before = f.LastTurn.Before
	}
}

// answer takes the end of the work on a prompt. One that no user has said is of a hook; the history cannot go on from before it.
func (b *BackendSession) answer(e event.BackendAnswered) {
	if e.Session != b.Session {
		return
	}
	if b.pending.turn == "" {
		b.pending.before, b.pending.parent = noNode, noNode
	}
	b.prompts = append(b.prompts, b.pending)
	b.pending = backendPrompt{}
}

// noNode is the number of no record.
const noNode = math.MaxUint64

// endTurn takes the end of a turn. Whether the agent has a prompt that it has not answered is not known.
func (b *BackendSession) endTurn() {
	b.unsure = b.unsure || b.pending.turn != ""
	b.pending = backendPrompt{}
}

// leave takes a move of the head of the history from one node to another.
func (b *BackendSession) leave(from, to uint64) {
	if b.Session == "" || from == to {
		return
	}
	if !b.unsure {
		for i, p := range b.prompts {
			if i > 0 && (to == p.before || to == p.parent) {
				b.prompts, b.Fork = b.prompts[:i:i], true
				return
			}
		}
	}
	b.forget()
}

// forget forgets a session that has what the history does not have.
func (b *BackendSession) forget() {
	b.Session, b.Fork, b.prompts, b.unsure = "", false, nil, false
}

// Forkable reports whether the first Prompts of Session are all that the history has.
func (b *BackendSession) Forkable() bool { return b.Session != "" && len(b.prompts) > 0 && !b.unsure }
