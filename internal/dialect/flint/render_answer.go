package flint

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file shows what the model says: texts and reasoning, and what they cost.

// part returns the item of a block of the answer under way, started if this is its first piece.
// Items are numbered by the order in which their first pieces came, which is also the order of
// the blocks in the finished answer: so the journal gives the same ids.
func (v *view) part(message event.MessageID, block int, empty func(id string) ThreadItem) *item {
	if it := v.turn.blocks[block]; it != nil {
		return it
	}
	it := v.nextPart(message, empty)
	if v.turn.blocks == nil {
		v.turn.blocks = map[int]*item{}
	}
	v.turn.blocks[block] = it
	return it
}

func (v *view) nextPart(message event.MessageID, empty func(id string) ThreadItem) *item {
	it := &item{id: fmt.Sprintf("%s.%d", message, len(v.turn.texts)+1)}
	v.turn.texts = append(v.turn.texts, it)
	v.start(it, empty(it.id))
	return it
}

func emptyMessage(id string) ThreadItem { return AgentMessageItem{Type: "agentMessage", ID: id} }

func emptyReasoning(id string) ThreadItem { return ReasoningItem{Type: "reasoning", ID: id} }

func (v *view) growText(message event.MessageID, block int, text string) {
	if v.turn != nil {
		v.grow(v.part(message, block, emptyMessage), "item/agentMessage/delta", text)
	}
}

func (v *view) growReasoning(e event.ThinkingDelta) {
	if v.turn != nil && e.Text != "" {
		v.think(v.part(e.Message, e.Block, emptyReasoning), e.Text, e.Summary)
	}
}

// think shows a piece of reasoning, or of its summary.
func (v *view) think(it *item, text string, summary bool) {
	it.text = append(it.text, text...)
	if summary {
		v.notify("item/reasoning/summaryTextDelta", ReasoningSummaryTextDelta{
			ThreadID: v.thread, TurnID: v.turn.id, ItemID: it.id, Delta: text,
		})
		return
	}
	v.notify("item/reasoning/textDelta", ReasoningTextDelta{ThreadID: v.thread, TurnID: v.turn.id, ItemID: it.id, Delta: text})
}

// endAnswer completes the items of a finished answer. What was not shown as a delta, since
// the provider gave it in one piece or the record comes from a journal, is shown now.
func (v *view) endAnswer(e event.AssistantMessage) {
	shown := v.turn.texts
	for _, block := range e.Blocks {
		if block.Text == "" || block.Kind != model.KindText && block.Kind != model.KindThinking {
			continue
		}
		empty := emptyMessage
		if block.Kind == model.KindThinking {
			empty = emptyReasoning
		}
		var it *item
		if len(shown) > 0 {
			it, shown = shown[0], shown[1:]
		} else {
			it = v.nextPart(e.ID, empty)
		}
		v.endPart(it, block.Text, block.Summary)
	}
	for _, it := range shown { // the failed answer is not stored, and no request continues from it
		v.endPart(it, string(it.text), false)
	}
	v.turn.texts, v.turn.blocks = nil, nil
	v.turn.last, v.turn.usage, v.spent = usage(e.Usage), v.turn.usage.add(e.Usage), v.spent.add(e.Usage)
	v.notify("thread/tokenUsage/updated", v.tokens())
}

func (v *view) endPart(it *item, text string, summary bool) {
	rest, _ := strings.CutPrefix(text, string(it.text))
	switch value := it.value.(type) {
	case AgentMessageItem:
		v.grow(it, "item/agentMessage/delta", rest)
		value.Text = text
		v.complete(it, value)
	case ReasoningItem:
		if rest != "" {
			v.think(it, rest, summary)
		}
		if summary {
			value.Summary = text
		} else {
			value.Content = text
		}
		v.complete(it, value)
	}
}

// usage counts tokens as providers report them.
type usage model.Usage

func (u usage) add(more model.Usage) usage { return usage(model.Usage(u).Add(more)) }

func (u usage) wire() TokenUsage {
	return TokenUsage{
		InputTokens: model.Usage(u).Context(), OutputTokens: u.Output,
		ThinkingTokens: reported(u.Thinking), CacheReadTokens: reported(u.CacheRead), CacheWriteTokens: reported(u.CacheWrite),
	}
}

// reported returns n where there is something to report.
func reported(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

func (v *view) tokens() TokenUsageUpdated {
	return TokenUsageUpdated{v.thread, v.turn.id, v.turn.usage.wire(), &UsageMeta{v.turn.last.wire(), v.spent.wire(), v.window}}
}
