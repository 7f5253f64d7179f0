package model

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// An Accumulator builds a Message from deltas in linear time. Providers use it for the
// final message, the engine for what a failed or interrupted answer had said. The zero
// value is ready.
type Accumulator struct {
	blocks []*growing // by Delta.Block; nil: never seen
}

type growing struct {
	kind      BlockKind
	text      strings.Builder
	signature string
	summary   bool
	callID    string
	name      string
}

// Add takes one delta; Done, UsageDelta, NoticeDelta and an impossible block number are ignored.
func (a *Accumulator) Add(d Delta) {
	if d.Kind == Done || d.Kind == UsageDelta || d.Kind == NoticeDelta || d.Block < 0 || d.Block > 1<<16 {
		return
	}
	for len(a.blocks) <= d.Block {
		a.blocks = append(a.blocks, nil)
	}
	g := a.blocks[d.Block]
	if g == nil {
		g = &growing{}
		a.blocks[d.Block] = g
	}
	switch d.Kind {
	case TextDelta:
		g.kind = KindText
		g.text.WriteString(d.Text)
	case ThinkingDelta:
		g.kind = KindThinking
		g.text.WriteString(d.Text)
		g.summary = g.summary || d.Summary
		if d.Signature != "" {
			g.signature = d.Signature
		}
	case ToolCallStart:
		g.kind, g.callID, g.name = KindToolCall, d.CallID, d.Name
	case ToolInputDelta:
		g.kind = KindToolCall
		g.text.WriteString(d.Text)
	}
}

// Rename changes the name of the call in a block that began with ToolCallStart.
func (a *Accumulator) Rename(block int, name string) {
	if block >= 0 && block < len(a.blocks) && a.blocks[block] != nil {
		a.blocks[block].name = name
	}
}

// Len returns how many blocks were begun.
func (a *Accumulator) Len() int { return len(a.blocks) }

// Message returns the answer so far. Empty text blocks are left out.
func (a *Accumulator) Message() Message {
	m := Message{Role: Assistant}
	for _, g := range a.blocks {
		switch {
		case g == nil:
		case g.kind == KindText && g.text.Len() > 0:
			m.Blocks = append(m.Blocks, TextBlock(g.text.String()))
		case g.kind == KindThinking && (g.text.Len() > 0 || g.signature != ""):
			m.Blocks = append(m.Blocks, Block{Kind: KindThinking, Text: g.text.String(), Signature: g.signature, Summary: g.summary})
		case g.kind == KindToolCall:
			m.Blocks = append(m.Blocks, Block{Kind: KindToolCall, Call: &Call{ID: g.callID, Name: g.name, Input: CallInput(g.text.String())}})
		}
	}
	return m
}

// Partial returns the answer so far without its tool calls, whose input may be cut.
func (a *Accumulator) Partial() Message {
	m := a.Message()
	m.Blocks = slices.DeleteFunc(m.Blocks, func(b Block) bool { return b.Kind == KindToolCall })
	return m
}

// CallInput returns raw as a Call's Input: raw itself if it is a JSON object, {} if it is
// blank, else raw as a JSON string.
func CallInput(raw string) jsontext.Value {
	if strings.TrimSpace(raw) == "" {
		return jsontext.Value("{}")
	}
	v := jsontext.Value(raw)
	if v.IsValid() && v.Kind() == '{' {
		return v
	}
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(raw, "\uFFFD"))
	if err != nil {
		return jsontext.Value(`""`)
	}
	return quoted
}
