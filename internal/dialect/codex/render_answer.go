package codex

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file shows what the model answers: texts and reasoning, and what they cost.

// part returns the item of a block of the answer under way, started if this is its first piece. Items are numbered by
// the order in which their first pieces came, which is also the order of the blocks in the finished answer: so the
// journal gives the same ids.
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

func emptyMessage(id string) ThreadItem { return AgentMessageThreadItem{ID: id} }

func emptyReasoning(id string) ThreadItem {
	return ReasoningThreadItem{ID: id, Summary: []string{}, Content: []string{}}
}

func (v *view) growText(message event.MessageID, block int, text string) {
	switch {
	case v.turn == nil || v.turn.review != nil:
	case v.turn.plans:
		v.growProposal(message, block, text)
	default:
		v.say(v.part(message, block, emptyMessage), text)
	}
}

func (v *view) growReasoning(e event.ThinkingDelta) {
	if v.turn != nil && e.Text != "" {
		v.think(v.part(e.Message, e.Block, emptyReasoning), e.Text, e.Summary)
	}
}

// say shows a piece of a text.
func (v *view) say(it *item, text string) {
	if text == "" {
		return
	}
	it.text = append(it.text, text...)
	v.notify("item/agentMessage/delta", AgentMessageDeltaNotification{ThreadID: v.thread, TurnID: v.turn.id, ItemID: it.id, Delta: text})
}

// think shows a piece of reasoning, or of its summary.
func (v *view) think(it *item, text string, summary bool) {
	it.text = append(it.text, text...)
	if !summary {
		v.notify("item/reasoning/textDelta", ReasoningTextDeltaNotification{ThreadID: v.thread, TurnID: v.turn.id, ItemID: it.id, Delta: text})
		return
	}
	if !it.summary {
		it.summary = true
		v.notify("item/reasoning/summaryPartAdded", ReasoningSummaryPartAddedNotification{ThreadID: v.thread, TurnID: v.turn.id, ItemID: it.id})
	}
	v.notify("item/reasoning/summaryTextDelta", ReasoningSummaryTextDeltaNotification{ThreadID: v.thread, TurnID: v.turn.id, ItemID: it.id, Delta: text})
}

// endAnswer completes the items of a finished answer. What was not shown as a delta, since the provider gave it in one
// piece or the record comes from a journal, is shown now.
func (v *view) endAnswer(e event.AssistantMessage) {
	shown, proposed := v.turn.texts, v.turn.proposed
	for _, block := range e.Blocks {
		if block.Kind == model.KindText && v.turn.review != nil {
			continue
		}
		if block.Text == "" || block.Kind != model.KindText && block.Kind != model.KindThinking {
			continue
		}
		if block.Kind == model.KindText && v.turn.plans {
			if len(proposed) == 0 {
				v.nextProposal(e.ID)
				proposed = v.turn.proposed[len(v.turn.proposed)-1:]
			}
			v.endProposal(proposed[0], block.Text)
			proposed = proposed[1:]
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
	if v.turn.review != nil {
		v.endReviewAnswer(e)
	}
	for _, it := range shown { // nothing of it was kept: a failed answer that nothing goes on from
		v.endPart(it, string(it.text), it.summary)
	}
	v.turn.proposed = proposed
	v.endProposals()
	v.turn.texts, v.turn.blocks = nil, nil
	v.last, v.total = e.Usage, v.total.Add(e.Usage)
	v.notify("thread/tokenUsage/updated", v.tokens(v.turn.id))
}

func (v *view) endPart(it *item, text string, summary bool) {
	rest, _ := strings.CutPrefix(text, string(it.text))
	switch value := it.value.(type) {
	case AgentMessageThreadItem:
		v.say(it, rest)
		value.Text = text
		v.complete(it, value)
	case ReasoningThreadItem:
		if rest != "" {
			v.think(it, rest, summary)
		}
		if summary {
			value.Summary = []string{text}
		} else {
			value.Content = []string{text}
		}
		v.complete(it, value)
	}
}

// tokens returns what the thread has used, and its last answer.
func (v *view) tokens(turn string) ThreadTokenUsageUpdatedNotification {
	n := ThreadTokenUsageUpdatedNotification{
		ThreadID: v.thread, TurnID: turn, TokenUsage: ThreadTokenUsage{Total: breakdown(v.total), Last: breakdown(v.last)},
	}
	if v.window > 0 {
		window := int64(v.window)
		n.TokenUsage.ModelContextWindow = &window
	}
	return n
}

// breakdown counts tokens as this protocol does: those of caches are input.
func breakdown(u model.Usage) TokenUsageBreakdown {
	written := int64(u.CacheWrite)
	return TokenUsageBreakdown{
		InputTokens: int64(u.Context()), CachedInputTokens: int64(u.CacheRead), CacheWriteInputTokens: &written,
		OutputTokens: int64(u.Output), ReasoningOutputTokens: int64(u.Thinking), TotalTokens: int64(u.Context() + u.Output),
	}
}
