package acp

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
)

func (t *turn) update(u update) {
	switch u.Kind {
	case "agent_message_chunk", "agent_thought_chunk":
		t.message(u)
	case "tool_call", "tool_call_update":
		t.call(u)
	case "plan":
		t.releaseKnown()
		t.send(planOf(u.Entries), nil)
	case "usage_update":
		t.send(backend.Usage{Context: u.Used, Window: u.Size, Cost: t.agent.spent.add(u.Cost)}, nil)
	case "compaction_update", "compaction_summary_chunk":
		t.compaction(u)
	case "notice":
		t.notice(u)
	default:
		t.agent.settings.observe(u)
	}
}

// message yields a piece of an answer, or of reasoning.
func (t *turn) message(u update) {
	var c content
	if json.Unmarshal(u.Content, &c) != nil {
		return
	}
	t.releaseKnown()
	text := textOf(c)
	if u.Kind == "agent_thought_chunk" {
		t.send(backend.Thought{Message: u.MessageID, Text: text}, nil)
	} else {
		t.send(backend.Text{Message: u.MessageID, Text: text}, nil)
	}
}

// textOf returns the text of a block: what is no text is named.
func textOf(c content) string {
	switch c.Type {
	case "text":
		return c.Text
	case "resource_link":
		return "[" + cmp.Or(c.Name, c.URI) + "](" + c.URI + ")"
	case "resource":
		if c.Resource != nil {
			return cmp.Or(c.Resource.Text, c.Resource.URI)
		}
	}
	return "[" + c.Type + "]"
}

func planOf(entries []planEntry) backend.Plan {
	var plan backend.Plan
	for _, e := range entries {
		status := event.PlanStatus(e.Status)
		if status != event.InProgress && status != event.Completed {
			status = event.Pending
		}
		plan.Items = append(plan.Items, event.PlanItem{Text: e.Content, Status: status})
	}
	return plan
}

// compaction yields the start and the end of a summary of the context.
func (t *turn) compaction(u update) {
	t.releaseKnown()
	var piece content
	switch {
	case u.Kind == "compaction_summary_chunk":
		if json.Unmarshal(u.Content, &piece) == nil {
			t.summary = append(t.summary, textOf(piece)...)
		}
	case u.Status == "in_progress":
		t.summary = nil
		t.send(backend.Compacting{}, nil)
	case u.Status == "completed":
		if u.Summary != nil {
			t.summary = nil
		}
		for _, c := range u.Summary {
			t.summary = append(t.summary, textOf(c)...)
		}
		t.send(backend.Compacted{Summary: string(t.summary)}, nil)
	default:
		t.send(backend.Compacted{Failed: true}, nil)
	}
}

// noticeAgent is the code of the Note that is a notice of the agent.
const noticeAgent = "backend_notice"

func (t *turn) notice(u update) {
	level := event.NoticeLevel(u.Severity)
	if level != event.Warning && level != event.Error {
		level = event.Info
	}
	t.releaseKnown()
	t.send(backend.Note{Level: level, Code: noticeAgent, Text: strings.TrimSpace(u.Title + "\n" + u.Description)}, nil)
}
