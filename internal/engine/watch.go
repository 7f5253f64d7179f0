package engine

import (
	"errors"
	"maps"

	"parley.dev/parley/internal/event"
)

// errViolated: an answer was cut, and the history has the reason for the model.
var errViolated = errors.New("the answer was cut")

// Past returns how many answers the model has finished since the last objection by that rule; ok is false
// if there was none.
type Past func(rule string) (answers int, ok bool)

// An Violation is to an answer that does not keep to rules.
type Violation struct {
	Rules []string   // their names
	Note  event.Note // for the model
	// Cut ends the answer at once, and the model is called again; else it gets the note when the
	// turn would end, and the turn goes on.
	Cut    bool
	Forget bool // the text of an answer that was cut is not part of later requests
}

func (o Violation) event() event.RuleViolated {
	return event.RuleViolated{Rules: o.Rules, Cut: o.Cut, Blocks: o.Note.Blocks, Sent: o.Note.Sent}
}

// watch returns what watches the next answer; nil: nothing does.
func (t *turn) watch() func(event.Event) *Violation {
	s := t.s
	watchers := pluginsOf[AnswerWatcher](s)
	if len(watchers) == 0 {
		return nil
	}
	s.mu.Lock()
	objects, whole := maps.Clone(s.fold.Objections), s.fold.WholeAnswers
	s.mu.Unlock()
	for _, o := range t.objections { // the history does not have them yet
		for _, name := range o.Rules {
			objects[name] = whole
		}
	}
	past := func(rule string) (int, bool) {
		at, ok := objects[rule]
		return whole - at, ok
	}
	var looks []func(event.Event) *Violation
	for _, watcher := range watchers {
		if look := watcher.WatchAnswer(past); look != nil {
			looks = append(looks, look)
		}
	}
	if len(looks) == 0 {
		return nil
	}
	return func(piece event.Event) (first *Violation) {
		for _, look := range looks {
			if o := look(piece); first == nil {
				first = o
			}
		}
		return first
	}
}

// look keeps what there is to object to a piece of the answer. Either may be nil: then there
// is nothing to see.
func (r *streamed) look(look func(event.Event) *Violation, piece event.Event) {
	if look == nil || piece == nil {
		return
	}
	switch o := look(piece); {
	case o == nil:
	case o.Cut:
		r.cut = o
	default:
		r.objections = append(r.objections, *o)
	}
}

// keepCut records what an answer had said that was cut, and why.
func (t *turn) keepCut(m Model, id event.MessageID, r streamed) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	partial := r.said.Partial()
	usage := estimateUsage(s.contextTokens(), r.said.Message())
	cost := m.Info.Price.Cost(usage)
	s.fold.DropCalls(r.callIDs())
	s.log.Append(
		t.id,
		event.AssistantMessage{ID: id, Provider: m.Info.Provider, Model: m.Info.ID, Blocks: partial.Blocks, Partial: true, Void: r.cut.Forget, Usage: usage, Cost: cost},
		r.cut.event(),
	)
	s.spend(t.id, usage, cost)
}

// object sends the model the violations that waited for the end of the turn, and reports whether there was
// anything.
func (t *turn) object() bool {
	for _, o := range t.objections {
		t.append(o.event())
	}
	said := len(t.objections) > 0
	t.objections = nil
	return said
}

// callIDs returns the ids under which calls were shown.
func (r *streamed) callIDs() []event.CallID {
	var ids []event.CallID
	for _, c := range r.calls {
		ids = append(ids, c.id)
	}
	return ids
}
