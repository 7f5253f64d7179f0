package pisces

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// seenBlocks is an answer that is on its way.
type seenBlocks struct {
	born AssistantMessage
	done []Content
	open *seenBlock
}

// A seenBlock has no end yet.
type seenBlock struct {
	kind string // text, thinking, toolcall
	text strings.Builder
	call ToolCall
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
	var partial AssistantMessage
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
func (b *seenBlocks) take(kind string, e AssistantMessageEvent, partial AssistantMessage) (problems []string) {
	switch u := e.(type) {
	case BlockStart:
		b.open = &seenBlock{kind: kind}
		if n := len(partial.Content); n > 0 && kind == "toolcall" {
			b.open.call, _ = partial.Content[n-1].(ToolCall)
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
			problems = append(problems, fmt.Sprintf("the call was begun as %s, with %s", marshal(was), said))
		}
		b.open.call = u.ToolCall
		b.leave()
	}
	return problems
}

func (b *seenBlocks) leave() {
	b.done, b.open = append(b.done, b.open.content()), nil
}

func (b *seenBlock) content() Content {
	switch b.kind {
	case "text":
		return textContent(b.text.String())
	case "thinking":
		return ThinkingContent{Type: contentThinking, Thinking: b.text.String()}
	}
	return b.call
}

// shown is all blocks, the open one as it is now.
func (b *seenBlocks) shown() []Content {
	if b.open == nil {
		return b.done
	}
	return append(b.done[:len(b.done):len(b.done)], b.open.content())
}

// holds says what is wrong with the message so far.
func (b *seenBlocks) holds(partial AssistantMessage) string {
	shown := b.shown()
	if n := len(shown); n > 0 && n == len(partial.Content) && b.open != nil && b.open.kind == "toolcall" {
		call, isCall := partial.Content[n-1].(ToolCall)
		if !isCall || call.ID != b.open.call.ID || call.Name != b.open.call.Name || call.Arguments.Kind() != '{' {
			return "the open call is another"
		}
		shown[n-1] = call // its arguments are a guess
	}
	want := b.born
	want.Content = shown
	if !sameValue(want, partial) {
		return fmt.Sprintf("the message so far is %s", marshal(want))
	}
	return ""
}

// end says what is wrong with the whole message. One that was cut may have more than was shown.
func (b *seenBlocks) end(m AssistantMessage) (problems []string) {
	cut := m.StopReason == StopAborted || m.StopReason == StopError
	if m.Timestamp != b.born.Timestamp || m.Provider != b.born.Provider || m.API != b.born.API {
		problems = append(problems, "another answer was born")
	}
	shown := b.shown()
	var whole []Content
	for _, content := range m.Content {
		switch content := content.(type) {
		case RedactedThinkingContent:
			continue // it is told with the end
		case ThinkingContent:
			content.ThinkingSignature = ""
			whole = append(whole, content)
		case TextContent:
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
		return append(problems, fmt.Sprintf("%d blocks were shown: %s", len(shown), marshal(shown)))
	}
	for i, content := range shown {
		last := i == len(shown)-1 && cut
		if !sameValue(content, whole[i]) && !(last && continues(content, whole[i])) {
			problems = append(problems, fmt.Sprintf("block %d was shown as %s", i, marshal(content)))
		}
	}
	return problems
}

// dropCalls forgets the calls of an answer that was cut.
func (b *seenBlocks) dropCalls() {
	b.done = slices.DeleteFunc(b.done, func(c Content) bool { _, isCall := c.(ToolCall); return isCall })
	if b.open != nil && b.open.kind == "toolcall" {
		b.open = nil
	}
}

// continues says whether a block is the beginning of another.
func continues(begun, whole Content) bool {
	switch w := whole.(type) {
	case TextContent:
		b, same := begun.(TextContent)
		return same && strings.HasPrefix(w.Text, b.Text)
	case ThinkingContent:
		b, same := begun.(ThinkingContent)
		return same && strings.HasPrefix(w.Thinking, b.Thinking)
	case ToolCall:
		b, same := begun.(ToolCall)
		return same && w.ID == b.ID && w.Name == b.Name
	}
	return false
}
