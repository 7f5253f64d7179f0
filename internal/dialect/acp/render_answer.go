package acp

import (
	"cmp"
	"encoding/base64"
	"fmt"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	shorten "parley.dev/parley/internal/text"
)

// This file shows what the model says, what it plans, and what it costs.

// chunkKind returns the kind of the updates with pieces of an answer.
func chunkKind(thinking bool) string {
	if thinking {
		return "agent_thought_chunk"
	}
	return "agent_message_chunk"
}

// grow shows a piece of an answer.
func (v *view) grow(kind string, message event.MessageID, block int, piece string) {
	if piece == "" {
		return
	}
	if v.turn.shown == nil {
		v.turn.shown = map[int]int{}
	}
	v.turn.shown[block] += len(piece)
	v.show(MessageChunk{kind, v.messageID(message), text(piece)})
}

// messageID returns the id of an answer. An answer that is given again has another one than the part of it that was
// shown before.
func (v *view) messageID(message event.MessageID) string {
	if v.turn.tries == 0 {
		return string(message)
	}
	return fmt.Sprintf("%s.%d", message, v.turn.tries+1)
}

// endAnswer shows what of a finished answer was not sent as pieces.
func (v *view) endAnswer(e event.AssistantMessage) {
	for i, b := range e.Blocks {
		thinking, shown := b.Kind == model.KindThinking, v.turn.shown[i]
		if (thinking || b.Kind == model.KindText) && shown < len(b.Text) {
			v.show(MessageChunk{chunkKind(thinking), v.messageID(e.ID), text(b.Text[shown:])})
		}
	}
	v.turn.shown, v.turn.tries = nil, 0
	v.used, v.cost = e.Usage.Context()+e.Usage.Output, v.cost+e.Cost
}

// defaultWindow is the size of the context of a model of which it is not known, in tokens.
const defaultWindow = 128_000

// showUsage shows how full the context is.
func (v *view) showUsage() {
	if v.used == 0 {
		return
	}
	update := UsageUpdate{SessionUpdate: "usage_update", Used: v.used, Size: cmp.Or(v.window, defaultWindow)}
	if v.cost > 0 {
		update.Cost = &Cost{v.cost, "USD"}
	}
	v.show(update)
}

// planOf returns a plan as clients show it. Abandoned tasks are left out.
func planOf(e event.PlanUpdated) PlanUpdate {
	update := PlanUpdate{"plan", []PlanEntry{}}
	add := func(content string, status event.PlanStatus) {
		if status != event.Abandoned {
			update.Entries = append(update.Entries, PlanEntry{content, "medium", string(status)})
		}
	}
	if len(e.Phases) == 0 {
		for _, item := range e.Items {
			content := item.Text
			if item.Status == event.InProgress {
				content = cmp.Or(item.Active, content)
			}
			add(content, item.Status)
		}
		return update
	}
	for _, phase := range e.Phases {
		for _, task := range phase.Tasks {
			content := task.Text
			if len(e.Phases) > 1 {
				content = phase.Name + ": " + content
			}
			add(content, task.Status)
		}
	}
	return update
}

// titleOf returns the title of a session that begins with a prompt.
func titleOf(blocks []model.Block) string {
	return shorten.Clip(oneLine(model.Message{Blocks: blocks}.Title()), 120, "…")
}

// picture returns an image of a record.
func (v *view) picture(img model.Image) (ContentBlock, bool) {
	data := img.Data
	if len(data) == 0 && img.Blob != "" {
		var err error
		if data, err = v.blob(img.Blob); err != nil {
			return ContentBlock{}, false
		}
	}
	if len(data) == 0 {
		return ContentBlock{}, false
	}
	encoded := base64.StdEncoding.EncodeToString(data)
	return ContentBlock{Type: "image", Data: &encoded, MIMEType: &img.MIME}, true
}
