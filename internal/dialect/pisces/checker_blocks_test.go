package pisces

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
)

// seenBlocks is an answer that is on its way.
type seenBlocks struct {
	born message.Assistant
	done []message.Content
	open *seenBlock
}

// A seenBlock has no end yet.
type seenBlock struct {
	kind string // text, thinking, toolcall
	text strings.Builder
	call message.ToolCall
}

// update takes a message_update.
func (c *checker) update(e MessageUpdate) {
	t := c.turn()
	b := t.blocks
	if b == nil {
		c.fault("no answer is on its way")
		return
	}
	var kind string
	var index int
	var partial message.Assistant
	switch u := e.AssistantMessageEvent.(type) {
	case BlockStart:
		kind, index, partial = u.Type, u.ContentIndex, u.Partial
	case BlockDelta:
		kind, index, partial = u.Type, u.ContentIndex, u.Partial
	case BlockEnd:
		kind, index, partial = u.Type, u.ContentIndex, u.Partial
	case ToolCallEnd:
		kind, index, partial = u.Type, u.ContentIndex, u.Partial
	default:
		return // it could not be read
	}
	if !sameValue(partial, e.Message) {
		c.fault("partial is not the message")
	}
	if index != len(b.done) {
		c.fault("block %d is due", len(b.done))
	}
	block, moment, _ := strings.Cut(kind, "_")
	if (b.open == nil) != (moment == "start") || b.open != nil && b.open.kind != block {
		c.fault("a block is open, or none, or another")
		return
	}
	for _, problem := range b.take(block, e.AssistantMessageEvent, partial) {
		c.fault("%s", problem)
	}
	if problem := b.holds(partial); problem != "" {
		c.fault("%s", problem)
	}
}

// take applies an event of the open block.
func (b *seenBlocks) take(kind string, e AssistantMessageEvent, partial message.Assistant) (problems []string) {
	switch u := e.(type) {
	case BlockStart:
		b.open = &seenBlock{kind: kind}
		if n := len(partial.Content); n > 0 && kind == "toolcall" {
			b.open.call, _ = partial.Content[n-1].(message.ToolCall)
		}
	case BlockDelta:
		if u.Delta == "" {
			problems = append(problems, "a delta of nothing")
		}
		b.open.text.WriteString(u.Delta)
	case BlockEnd:
		if u.Content != b.open.text.String() {
			problems = append(problems, fmt.Sprintf("the deltas said %q", b.open.text.String()))
		}
		b.leave()
	case ToolCallEnd:
		was := b.open.call
		said := jsontext.Value(b.open.text.String())
		if u.ToolCall.ID != was.ID || u.ToolCall.Name != was.Name || was.ID == "" || said.IsValid() && !sameJSON(said, u.ToolCall.Arguments) {
			problems = append(problems, fmt.Sprintf("the call was begun as %s, with %s", rawjson.Marshal(was), said))
		}
		b.open.call = u.ToolCall
		b.leave()
	}
	return problems
}

func (b *seenBlocks) leave() {
	b.done, b.open = append(b.done, b.open.content()), nil
}

func (b *seenBlock) content() message.Content {
	switch b.kind {
	case "text":
		return message.NewText(b.text.String())
	case "thinking":
		return message.Thinking{Type: message.TypeThinking, Thinking: b.text.String()}
	}
	return b.call
}

// shown returns all blocks, the open one as it is now.
func (b *seenBlocks) shown() []message.Content {
	if b.open == nil {
		return b.done
	}
	return append(b.done[:len(b.done):len(b.done)], b.open.content())
}

// holds returns what is wrong with the message so far.
func (b *seenBlocks) holds(partial message.Assistant) string {
	shown := b.shown()
	if n := len(shown); n > 0 && n == len(partial.Content) && b.open != nil && b.open.kind == "toolcall" {
		call, isCall := partial.Content[n-1].(message.ToolCall)
		if !isCall || call.ID != b.open.call.ID || call.Name != b.open.call.Name || call.Arguments.Kind() != '{' {
			return "the open call is another"
		}
		shown[n-1] = call // its arguments are a guess
	}
	want := b.born
	want.Content = shown
	if !sameValue(want, partial) {
		return fmt.Sprintf("the message so far is %s", rawjson.Marshal(want))
	}
	return ""
}

// end returns what is wrong with the whole message. One that was cut may have more than was shown.
func (b *seenBlocks) end(m message.Assistant) (problems []string) {
	cut := m.StopReason == message.StopAborted || m.StopReason == message.StopError
	if m.Timestamp != b.born.Timestamp || m.Provider != b.born.Provider || m.API != b.born.API {
		problems = append(problems, "another answer was born")
	}
	shown := b.shown()
	var whole []message.Content
	for _, content := range m.Content {
		switch content := content.(type) {
		case message.RedactedThinking:
			continue // it is sent with the end
		case message.Thinking:
			content.ThinkingSignature = ""
			whole = append(whole, content)
		case message.Text:
			content.TextSignature = ""
			whole = append(whole, content)
		default:
			whole = append(whole, content)
		}
	}
	if b.open != nil && !cut {
		problems = append(problems, "a block is open")
	}
	if len(shown) > len(whole) || len(shown) < len(whole) && !cut {
		return append(problems, fmt.Sprintf("%d blocks were shown: %s", len(shown), rawjson.Marshal(shown)))
	}
	for i, content := range shown {
		last := i == len(shown)-1 && cut
		if !sameValue(content, whole[i]) && !(last && continues(content, whole[i])) {
			problems = append(problems, fmt.Sprintf("block %d was shown as %s", i, rawjson.Marshal(content)))
		}
	}
	return problems
}

// dropCalls forgets the calls of an answer that was cut.
func (b *seenBlocks) dropCalls() {
	b.done = slices.DeleteFunc(b.done, func(c message.Content) bool { _, isCall := c.(message.ToolCall); return isCall })
	if b.open != nil && b.open.kind == "toolcall" {
		b.open = nil
	}
}

// continues reports whether a block is the beginning of another.
func continues(begun, whole message.Content) bool {
	switch w := whole.(type) {
	case message.Text:
		b, same := begun.(message.Text)
		return same && strings.HasPrefix(w.Text, b.Text)
	case message.Thinking:
		b, same := begun.(message.Thinking)
		return same && strings.HasPrefix(w.Thinking, b.Thinking)
	case message.ToolCall:
		b, same := begun.(message.ToolCall)
		return same && w.ID == b.ID && w.Name == b.Name
	}
	return false
}
