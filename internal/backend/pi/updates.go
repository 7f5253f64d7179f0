package pi

import (
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// take yields what a frame reports. What cannot be read is left out: agents are newer than this program.
func (t *turn) take(f rpc.Frame) (over bool, err error) {
	switch {
	case f.Method == "" && f.ID == "":
		return true, f.Err
	case f.Method == "" && f.ID == t.prompt:
		return t.accept(f)
	case f.Method == "" && f.ID == t.probe:
		over, err := t.settled(f)
		return over || t.over, err
	case f.Method == "extension_ui_request":
		t.dialog(f)
	default:
		err = t.event(f)
	}
	return t.over, err
}

// event takes an event.
func (t *turn) event(f rpc.Frame) error {
	switch f.Method {
	case "agent_start":
		return t.started()
	case "agent_end":
		var e agentEndEvent
		if decode(f.Params, &e) {
			t.last(e.Messages)
		}
		t.set(func() { t.running = false })
		t.settle()
	case "text_delta", "thinking_delta":
		var text string
		if decode(f.Params, &text) && text != "" {
			t.grow(f.Method, text)
		}
	case "message_end":
		var e messageEvent
		if decode(f.Params, &e) && e.Message.Role == "assistant" {
			t.message(e.Message)
		}
	case "tool_execution_start", "tool_execution_update", "tool_execution_end":
		var e toolEvent
		if decode(f.Params, &e) && e.ID != "" {
			t.call(f.Method, e)
		}
	case "auto_retry_start", "auto_retry_end":
		var e retryEvent
		if decode(f.Params, &e) {
			t.retry(f.Method, e)
		}
	case "compaction_start":
		t.set(func() { t.compacting = true })
		t.send(backend.Compacting{}, nil)
	case "compaction_end":
		var e compactionEvent
		if decode(f.Params, &e) {
			t.compacted(e)
		}
	case "extension_error":
		var e extensionErrorEvent
		if decode(f.Params, &e) {
			t.send(backend.Note{Level: event.Warning, Code: "backend_extension", Text: t.agent.backend.o.Name + ": the extension " + e.Path + " has failed: " + e.Error}, nil)
		}
	}
	return nil
}

// grow yields more of an answer.
func (t *turn) grow(kind, text string) {
	t.grown = true
	if kind == "thinking_delta" {
		t.send(backend.Thought{Message: t.answerID(), Text: text}, nil)
	} else {
		t.send(backend.Text{Message: t.answerID(), Text: text}, nil)
	}
}

// answerID returns the name of the answer under way.
func (t *turn) answerID() string { return "answer-" + digits(t.answer) }

// message yields the end of an answer, and before it what was not yielded as it grew.
func (t *turn) message(m message) {
	t.last([]message{m})
	var blocks []block
	if !t.grown && decode(m.Content, &blocks) {
		for _, b := range blocks {
			switch b.Type {
			case "text":
				t.send(backend.Text{Message: t.answerID(), Text: b.Text}, nil)
			case "thinking":
				t.send(backend.Thought{Message: t.answerID(), Text: b.Thinking}, nil)
			}
		}
	}
	used := model.Usage{Input: m.Usage.Input, Output: m.Usage.Output, CacheRead: m.Usage.CacheRead, CacheWrite: m.Usage.CacheWrite}
	name := m.Model
	if m.Provider != "" {
		name = m.Provider + "/" + m.Model
	}
	t.send(backend.MessageEnd{Model: name, Usage: used, Cost: m.Usage.Cost.Total}, nil)
	if context := used.Context() + used.Output; context > 0 {
		known := backend.Usage{Context: context}
		if current := t.agent.state.Model; current != nil && current.name() == name {
			known.Window = current.ContextWindow
		}
		t.send(known, nil)
	}
	t.answer++
	t.grown = false
}

// last takes how the last answer of some messages has ended.
func (t *turn) last(messages []message) {
	for _, m := range messages {
		if m.Role == "assistant" {
			t.stop, t.failure = m.StopReason, m.Error
		}
	}
}

// retry takes the beginning and the end of another try.
func (t *turn) retry(kind string, e retryEvent) {
	if kind == "auto_retry_start" {
		t.set(func() { t.retrying = true })
		t.send(backend.Retry{Attempt: e.Attempt, Max: e.MaxAttempts, Delay: time.Duration(e.DelayMS) * time.Millisecond, Message: e.Message}, nil)
		return
	}
	t.set(func() { t.retrying = false })
	t.settle()
}

// compacted yields the end of a compaction.
func (t *turn) compacted(e compactionEvent) {
	t.set(func() { t.compacting, t.expected = false, e.WillRetry })
	if e.Error != "" {
		t.send(backend.Note{Level: event.Warning, Code: "backend_compaction", Text: t.agent.backend.o.Name + ": " + e.Error}, nil)
	}
	if e.Result == nil {
		t.send(backend.Compacted{Failed: true}, nil)
	} else {
		t.send(backend.Compacted{Summary: e.Result.Summary}, nil)
	}
	t.settle()
}
