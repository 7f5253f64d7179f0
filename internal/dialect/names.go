package dialect

import (
	"iter"
	"slices"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// Names are the names of tools as clients of a protocol know them, by those that the models of a session know: the
// session may have been opened for another protocol. nil: they are the same.
type Names map[string]string

// NamesIn returns the names of the tools of a session for clients of a protocol that has that profile and those tools.
// A tool that it has not is shown under our own name.
func NamesIn(s *engine.Session, profile string, tools []engine.Binding) Names {
	home := s.Options()
	if home.Profile == profile {
		return nil
	}
	n := Names{}
	for _, b := range home.Toolset {
		n[b.Name] = b.Tool
		if i := slices.IndexFunc(tools, func(own engine.Binding) bool { return own.Tool == b.Tool }); i >= 0 {
			n[b.Name] = tools[i].Name
		}
	}
	return n
}

// In returns a record with the client's names of tools.
func (n Names) In(rec event.Record) event.Record {
	if n == nil {
		return rec
	}
	switch e := rec.Event.(type) {
	case event.ToolIntended:
		e.Name = n.of(e.Name)
		rec.Event = e
	case event.ApprovalAsked:
		e.Request.Tool = n.of(e.Request.Tool)
		rec.Event = e
	case event.AssistantMessage:
		e.Blocks = slices.Clone(e.Blocks)
		for i, b := range e.Blocks {
			if b.Call != nil {
				call := *b.Call
				call.Name = n.of(call.Name)
				e.Blocks[i].Call = &call
			}
		}
		rec.Event = e
	case event.TurnEnded:
		e.Mutations = slices.Clone(e.Mutations)
		for i := range e.Mutations {
			e.Mutations[i].Tool = n.of(e.Mutations[i].Tool)
		}
		rec.Event = e
	}
	return rec
}

// All is In for records.
func (n Names) All(records iter.Seq2[event.Record, error]) iter.Seq2[event.Record, error] {
	if n == nil {
		return records
	}
	return func(yield func(event.Record, error) bool) {
		for rec, err := range records {
			if !yield(n.In(rec), err) {
				return
			}
		}
	}
}

func (n Names) of(name string) string {
	if own, ok := n[name]; ok {
		return own
	}
	return name
}
