package pisces

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/event"
)

// This file contains the commands of newer programs of the family.

// handleNewer does them; false: it is none of them.
func (c *conn) handleNewer(ctx context.Context, m command) bool {
	s := c.session
	switch p := m.params.(type) {
	case ClearQueue:
		steering, followUps, err := s.eng.Queue().Clear()
		c.reply(m, ClearedQueue{textsOf(steering), textsOf(followUps)}, err)
		s.drop()
	case GetAvailableThinkingLevels:
		info, _ := c.cfg.Host.ModelInfo(c.modelName())
		levels := []string{string(message.ThinkingOff)}
		for _, level := range levelsOf(info) {
			levels = append(levels, string(level))
		}
		c.reply(m, ThinkingLevels{levels}, nil)
	case GetEntries:
		s.tryAt(ctx, m, func(h *sessionfile.History) (any, error) { return entriesAfter(h, p.Since) })
	case GetTree:
		s.answerAt(ctx, m, func(h *sessionfile.History) any { return Tree{treeOf(h), leafOf(h)} })
	case GetAvailableCommands:
		c.reply(m, c.slashCommands(), nil)
	case SetEventFilter:
		c.filterEvents(p.Events)
		c.reply(m, EventFilter(p), nil)
	case SetSubagentSubscription:
		c.reply(m, SubagentSubscription{"off"}, nil)
	case SetTodos:
		data, err := s.setTodos(p.Phases)
		c.reply(m, data, err)
	case GetMessagesPage:
		if st := s.eng.State(); st.Turn != "" || st.Busy {
			c.reply(m, nil, codedError{codeBusy, "the session is busy: messages can be paged when it is idle"})
			break
		}
		s.tryAt(ctx, m, func(h *sessionfile.History) (any, error) { return pageOf(string(s.eng.ID()), h.Leaf, h.Context(), p) })
	case SetHostTools:
		data, err := c.host.set(p.Tools)
		c.reply(m, data, err)
	case GetSubagents:
		s.pump.Later(func() [][]byte {
			s.mu.Lock()
			defer s.mu.Unlock()
			return [][]byte{outcome(m, Subagents{s.view.subagents()}, nil)}
		})
	default:
		return false
	}
	return true
}

// textsOf returns the texts of messages that wait.
func textsOf(queue []event.Queued) []string {
	texts := []string{}
	for _, q := range queue {
		var parts []string
		for _, b := range q.Blocks {
			if b.Text != "" {
				parts = append(parts, b.Text)
			}
		}
		texts = append(texts, strings.Join(parts, "\n"))
	}
	return texts
}

// filterEvents limits the events that are sent to these types; nil: all are sent.
func (c *conn) filterEvents(types *[]string) {
	if types == nil {
		c.filter.Store(nil)
		return
	}
	sent := map[string]bool{}
	for _, t := range *types {
		sent[t] = true
	}
	c.filter.Store(&sent)
}

// unfiltered are lines that the filter leaves alone.
var unfiltered = []string{PromptResult{}.EventType(), AgentSettled{}.EventType(), SessionSettled{}.EventType()}

// chosen returns the lines that the client wants.
func (c *conn) chosen(lines [][]byte) [][]byte {
	sent := c.filter.Load()
	if sent == nil {
		return lines
	}
	return slices.DeleteFunc(slices.Clone(lines), func(line []byte) bool {
		name := eventName(jsontext.Value(line))
		return !(*sent)[name] && !slices.Contains(unfiltered, name)
	})
}

// entriesAfter returns the entries of a history that follow one; "": all.
func entriesAfter(h *sessionfile.History, since string) (Entries, error) {
	entries := h.Entries
	if since != "" {
		at, known := h.Index[since]
		if !known {
			return Entries{}, fmt.Errorf("Entry not found: %s", abridged(since)) //nolint:staticcheck // the words of the original
		}
		entries = entries[at+1:]
	}
	lines := []jsontext.Value{}
	for _, e := range entries {
		lines = append(lines, e.Line())
	}
	return Entries{lines, leafOf(h)}, nil
}

// leafOf returns the last entry of the path; nil: there is none.
func leafOf(h *sessionfile.History) *string {
	if h.Leaf == "" {
		return nil
	}
	return &h.Leaf
}

// treeOf returns the entries of a history as a tree. What hangs on an entry that is not there is a root.
func treeOf(h *sessionfile.History) []*TreeNode {
	nodes := make(map[string]*TreeNode, len(h.Entries))
	for _, e := range h.Entries {
		nodes[e.ID] = &TreeNode{Entry: e.Line(), Children: []*TreeNode{}}
	}
	roots := []*TreeNode{}
	for _, e := range h.Entries {
		var label struct {
			TargetID  string `json:"targetId"`
			Label     string `json:"label"`
			Timestamp string `json:"timestamp"`
		}
		node := nodes[e.ID]
		if e.Type == "label" && json.Unmarshal(e.Line(), &label) == nil && nodes[label.TargetID] != nil {
			target := nodes[label.TargetID]
			if target.Label, target.LabelTimestamp = label.Label, label.Timestamp; label.Label == "" {
				target.LabelTimestamp = ""
			}
		}
		if parent := nodes[e.Parent]; parent != nil && e.Parent != e.ID {
			parent.Children = append(parent.Children, node)
		} else {
			roots = append(roots, node)
		}
	}
	return roots
}

// subagents returns those of the turn that is on, or of the last one.
func (v *view) subagents() []Subagent {
	return append([]Subagent{}, v.agents...)
}

// agent returns a subagent by its id.
func (v *view) agent(id string) *Subagent {
	for i := range v.agents {
		if v.agents[i].ID == id {
			return &v.agents[i]
		}
	}
	v.agents = append(v.agents, Subagent{ID: id, Index: len(v.agents), AgentSource: "bundled"})
	return &v.agents[len(v.agents)-1]
}

// noteTask keeps what an event says of subagents.
func (v *view) noteTask(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.TurnStarted:
		v.agents = nil
	case event.SubagentStarted:
		a := v.agent(e.Task)
		a.Agent, a.Status, a.ParentToolCallID, a.LastUpdate = e.Agent, string(event.TaskRunning), string(e.Call), rec.Time.UnixMilli()
	case event.SubagentEnded:
		a := v.agent(e.Task)
		a.Status, a.LastUpdate = string(event.TaskCompleted), rec.Time.UnixMilli()
		if e.ExitCode != 0 {
			a.Status = string(event.TaskFailed)
		}
	case event.TasksProgressed:
		for _, t := range e.Tasks {
			a := v.agent(t.ID)
			a.Index, a.Agent, a.AgentSource, a.Description = t.Index, t.Agent, t.Source, t.Description
			a.Status, a.Assignment, a.ParentToolCallID, a.LastUpdate = string(t.Status), t.Assignment, string(e.Call), rec.Time.UnixMilli()
		}
	}
}

// checkFilter refuses a filter with an empty type.
func checkFilter(params any) error {
	p, ok := params.(SetEventFilter)
	if ok && p.Events != nil && slices.Contains(*p.Events, "") {
		return errors.New("events must be null or an array of non-empty event type strings")
	}
	return nil
}
