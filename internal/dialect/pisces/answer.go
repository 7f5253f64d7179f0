package pisces

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/event"
)

// This file contains the answer that a model is writing: every update repeats the whole message,
// twice. What has been written is kept as JSON, so that an update copies and does not
// encode again.

// An answer is a message in the making.
type answer struct {
	head, tail []byte            // of its JSON, around the content
	content    []byte            // JSON of the blocks that are finished, with commas between them
	done       []message.Content // the same
	open       *openBlock
}

// An openBlock is the block that is being written.
type openBlock struct {
	kind   blockKind
	block  int    // among those of the model, of which some cannot be shown
	quoted []byte // of text and thinking: so far, as the inside of a JSON string
	call   message.ToolCall
	raw    []byte // of a call: its arguments, as the model writes them
}

// A blockKind is what a block is, as the names of its events have it.
type blockKind string

const (
	textBlock     blockKind = "text"
	thinkingBlock blockKind = "thinking"
	callBlock     blockKind = "toolcall"
)

// newAnswer returns an answer of which nothing is written yet.
func newAnswer(empty message.Assistant) *answer {
	const marker = `"content":[`
	whole := rawjson.Marshal(empty)
	at := 0
	for at = range whole {
		if string(whole[at:at+len(marker)]) == marker {
			at += len(marker)
			break
		}
	}
	return &answer{head: whole[:at:at], tail: whole[at:]}
}

// message appends the message as it is now.
func (a *answer) message(dst []byte) []byte {
	dst = append(dst, a.head...)
	dst = append(dst, a.content...)
	if a.open != nil {
		if len(a.content) > 0 {
			dst = append(dst, ',')
		}
		dst = a.open.value(dst)
	}
	return append(dst, a.tail...)
}

func (b *openBlock) value(dst []byte) []byte {
	switch b.kind {
	case textBlock:
		dst = append(append(dst, `{"type":"text","text":"`...), b.quoted...)
		return append(dst, `"}`...)
	case thinkingBlock:
		dst = append(append(dst, `{"type":"thinking","thinking":"`...), b.quoted...)
		return append(dst, `"}`...)
	}
	return append(dst, rawjson.Marshal(b.plain())...)
}

// plain returns the block as it is now.
func (b *openBlock) plain() message.Content {
	text, _ := jsontext.AppendUnquote(nil, append(append([]byte{'"'}, b.quoted...), '"'))
	switch b.kind {
	case textBlock:
		return message.NewText(string(text))
	case thinkingBlock:
		return message.Thinking{Type: message.TypeThinking, Thinking: string(text)}
	}
	call := b.call
	call.Arguments = partialObject(b.raw)
	return call
}

// shown returns what clients have seen of the content.
func (a *answer) shown() []message.Content {
	content := append([]message.Content{}, a.done...)
	if a.open != nil {
		content = append(content, a.open.plain())
	}
	return content
}

// text is a piece of a text or of reasoning.
func (a *answer) text(v *view, kind blockKind, block int, text string) {
	a.enter(v, kind, block, message.ToolCall{})
	if text == "" {
		return
	}
	quoted := quote(text)
	a.open.quoted = append(a.open.quoted, quoted[1:len(quoted)-1]...)
	v.out = append(v.out, a.update(a.open.name("delta"), `"delta":`, quoted))
}

// input is a piece of a call's arguments.
func (a *answer) input(v *view, e event.ToolInputDelta) {
	a.enter(v, callBlock, e.Block, message.ToolCall{Type: message.TypeCall, ID: string(e.Call), Name: e.Name})
	if e.Text == "" {
		return
	}
	a.open.raw = append(a.open.raw, e.Text...)
	v.out = append(v.out, a.update(a.open.name("delta"), `"delta":`, quote(e.Text)))
}

// enter begins a block, if it is not the open one, and ends the one before it.
func (a *answer) enter(v *view, kind blockKind, block int, call message.ToolCall) {
	if a.open != nil && a.open.block == block {
		return
	}
	a.leave(v)
	a.open = &openBlock{kind: kind, block: block, call: call}
	v.out = append(v.out, a.update(a.open.name("start"), "", nil))
}

// leave ends the open block, if there is one.
func (a *answer) leave(v *view) {
	b := a.open
	if b == nil {
		return
	}
	value := b.value(nil)
	if len(a.content) > 0 {
		a.content = append(a.content, ',')
	}
	a.content, a.done = append(a.content, value...), append(a.done, b.plain())
	a.open = nil
	member, end := `"content":`, append(append([]byte{'"'}, b.quoted...), '"')
	if b.kind == callBlock {
		member, end = `"toolCall":`, value
	}
	v.out = append(v.out, a.update(b.name("end"), member, end))
}

// complete ends the last block, and shows the blocks that no delta has shown.
func (a *answer) complete(v *view, content []message.Content) {
	begun := len(a.shown())
	for i, c := range content {
		if _, sealed := c.(message.RedactedThinking); sealed {
			continue // it comes with the end of the message
		}
		if begun--; begun >= 0 {
			continue
		}
		block := -1 - i // like none of the model's
		switch c := c.(type) {
		case message.Text:
			a.text(v, textBlock, block, c.Text)
		case message.Thinking:
			a.text(v, thinkingBlock, block, c.Thinking)
		case message.ToolCall:
			a.input(v, event.ToolInputDelta{Block: block, Call: event.CallID(c.ID), Name: c.Name, Text: string(c.Arguments)})
		}
	}
	a.leave(v)
}

func (b *openBlock) name(moment string) string { return string(b.kind) + "_" + moment }

// update returns a message_update about the last block.
func (a *answer) update(name, member string, value []byte) []byte {
	index := len(a.done)
	if a.open == nil {
		index-- // it has just ended
	}
	size := len(a.head) + len(a.content) + len(a.tail)
	if a.open != nil {
		size += 64 + len(a.open.quoted) + 2*len(a.open.raw)
	}
	line := make([]byte, 0, 2*size+len(value)+160)
	line = append(line, `{"type":"message_update","assistantMessageEvent":{"type":"`...)
	line = append(line, name...)
	line = append(line, `","contentIndex":`...)
	line = strconv.AppendInt(line, int64(index), 10)
	if member != "" {
		line = append(line, ',')
		line = append(line, member...)
		line = append(line, value...)
	}
	line = append(line, `,"partial":`...)
	from := len(line)
	line = a.message(line)
	to := len(line)
	line = append(line, `},"message":`...)
	line = append(line, line[from:to]...)
	return append(line, '}')
}

// quote returns text as a JSON string.
func quote(text string) []byte {
	quoted, _ := jsontext.AppendQuote(nil, text) // what is no UTF-8 becomes U+FFFD
	return quoted
}
