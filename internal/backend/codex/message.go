package codex

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A message is the answer of the model under way. An answer of the model is several items; it ends with its usage.
type message struct {
	number  int            // of the answer in the turn
	text    string         // id of the item with its text; "": there is none yet
	thought string         // id of the last item with reasoning
	part    int            // index of the last part of that
	grown   bool           // something was yielded
	length  map[string]int // bytes that were yielded, by item
}

// id identifies the answer.
func (m *message) id() string { return strconv.Itoa(m.number) }

// grow counts what is yielded of an item.
func (m *message) grow(item, text string) {
	if m.length == nil {
		m.length = map[string]int{}
	}
	m.length[item] += len(text)
	m.grown = true
}

// say yields more of a text. A second text within an answer of the model is an answer of its own.
func (t *turn) say(item, text string) {
	if text == "" {
		return
	}
	m := &t.message
	if m.text != "" && m.text != item {
		m.number++
	}
	m.text = item
	m.grow(item, text)
	t.send(backend.Text{Message: m.id(), Text: text}, nil)
}

// think yields more of the reasoning. Parts of it are paragraphs.
func (t *turn) think(item string, part int, text string) {
	if text == "" {
		return
	}
	m := &t.message
	if m.thought == item && m.part != part {
		text = "\n\n" + text
	}
	m.thought, m.part = item, part
	m.grow(item, text)
	t.send(backend.Thought{Message: m.id(), Text: text}, nil)
}

// endItem yields what was not yielded of an item whose text is known as a whole now.
func (t *turn) endItem(i item) {
	said := t.message.length[i.ID]
	delete(t.message.length, i.ID) // ids may come again
	switch i.Type {
	case "agentMessage", "plan":
		if said == 0 {
			t.say(i.ID, i.Text)
			delete(t.message.length, i.ID)
		}
	case "reasoning":
		if said > 0 {
			return
		}
		parts := i.Summary
		if len(parts) == 0 {
			_ = json.Unmarshal(i.Content, &parts) // what is no text is not shown
		}
		t.think(i.ID, 0, strings.Join(parts, "\n\n"))
		delete(t.message.length, i.ID)
	}
}

// endMessage yields the end of the answer under way.
func (t *turn) endMessage(used model.Usage) {
	m := &t.message
	t.send(backend.MessageEnd{Model: t.agent.modelInUse(), Usage: used}, nil)
	*m = message{number: m.number + 1}
}

// use yields what an answer of the model has used. The agent repeats its last report at times: then the sum is the same.
func (t *turn) use(u *tokenUsage) {
	if u == nil {
		return
	}
	if u.Total != t.agent.total {
		t.agent.total = u.Total
		t.endMessage(usageOf(u.Last))
	}
	t.send(backend.Usage{Context: u.Last.TotalTokens, Window: u.ModelContextWindow}, nil)
}

func usageOf(u tokens) model.Usage {
	return model.Usage{
		Input: max(u.InputTokens-u.CachedInputTokens-u.CacheWriteInputTokens, 0), Output: u.OutputTokens,
		CacheRead: u.CachedInputTokens, CacheWrite: u.CacheWriteInputTokens, Thinking: u.ReasoningOutputTokens,
	}
}

func planOf(steps []planStep) backend.Plan {
	var plan backend.Plan
	for _, s := range steps {
		status := event.Pending
		switch s.Status {
		case "inProgress":
			status = event.InProgress
		case "completed":
			status = event.Completed
		}
		plan.Items = append(plan.Items, event.PlanItem{Text: s.Step, Status: status})
	}
	return plan
}
