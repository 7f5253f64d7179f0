package sse

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// An Answer is a model's answer while it comes in: it yields the deltas and gathers the
// message. Text comes as it stood on the wire, as JSON strings; null and "" are no text.
type Answer struct {
	Usage model.Usage // as reported; zero: estimated at the end
	Cost  float64     // US dollars, as reported; 0: it is not
	Model string      // as reported; may be ""
	Stop  model.Stop  // why it ended; "": tools if it calls any, else the end
	// Moderated reports that moderation refused the request; so it has if the answer was refused and is empty.
	Moderated bool

	req     *model.Request
	yield   func(model.Delta, error) bool
	left    bool // the consumer broke out of the loop
	message model.Accumulator
	blocks  []block
	begun   int // how many of blocks have said anything
	callIDs map[string]bool
	growing int           // the block whose deltas are sent
	held    []model.Delta // of others, while growing is a call that is not whole
}

// A block is what an Answer keeps of one block beside its message.
type block struct {
	kind    model.DeltaKind
	summary bool // of reasoning
	text    joined
	size    int // bytes of text
	begun   bool
	call    bool      // it is a tool call
	input   inputScan // of a call
	whole   bool      // a call has its input, or nothing more comes of it
	number  int       // what deltas call it: blocks count from the first that says anything
}

func newAnswer(req *model.Request, yield func(model.Delta, error) bool) *Answer {
	return &Answer{req: req, yield: yield, callIDs: make(map[string]bool)}
}

// Text adds a piece to block n; see [Answer.Open].
func (a *Answer) Text(n int, piece jsontext.Value) error {
	return a.piece(n, model.TextDelta, piece)
}

// Thinking adds a piece to block n.
func (a *Answer) Thinking(n int, piece jsontext.Value) error {
	return a.piece(n, model.ThinkingDelta, piece)
}

// Summary adds a piece of a summary of the reasoning to block n.
func (a *Answer) Summary(n int, piece jsontext.Value) error {
	a.blocks[n].summary = true
	return a.piece(n, model.ThinkingDelta, piece)
}

// Input adds a piece of the JSON of the input of the call that is block n. Servers that
// send the input as an object instead are forgiven.
func (a *Answer) Input(n int, piece jsontext.Value) error {
	if piece.Kind() == '{' {
		quoted, err := jsontext.AppendQuote(nil, []byte(piece))
		if err != nil {
			return fmt.Errorf("input of a tool call: %w", err)
		}
		piece = quoted
	}
	return a.piece(n, model.ToolInputDelta, piece)
}

func (a *Answer) piece(n int, kind model.DeltaKind, piece jsontext.Value) error {
	switch piece.Kind() {
	case '"':
	case 'n', 0:
		return nil
	default:
		return fmt.Errorf("a piece of text is not a string but %s", piece.Kind())
	}
	b := &a.blocks[n]
	b.kind = kind
	if text := b.text.add(piece); text != "" {
		b.size += len(text)
		a.emit(model.Delta{Kind: kind, Block: n, Text: text, Summary: b.summary})
	}
	return nil
}

// Sign sets the signature of the thinking that is block n.
func (a *Answer) Sign(n int, signature string) {
	if signature != "" {
		a.emit(model.Delta{Kind: model.ThinkingDelta, Block: n, Signature: signature})
	}
}

// Open makes room for a block of text or thinking and returns what it is called here. It begins
// with what it says first; some never say anything.
func (a *Answer) Open() int {
	a.blocks = append(a.blocks, block{})
	return len(a.blocks) - 1
}

// Call begins a block that is a tool call. An id that is missing or was used before in
// this answer is replaced by one made of the call's place in the conversation.
func (a *Answer) Call(id, name string) int {
	n := a.Open()
	if id == "" || a.callIDs[id] {
		id = fmt.Sprintf("call_%d_%d", len(a.req.Messages), n)
	}
	a.callIDs[id] = true
	a.blocks[n].call = true
	a.emit(model.Delta{Kind: model.ToolCallStart, Block: n, CallID: id, Name: name})
	return n
}

// Rename gives call n another name: the one that it began with was only the beginning of it. The
// name in deltas stays; what runs is the call of the finished message.
func (a *Answer) Rename(n int, name string) { a.message.Rename(n, name) }

// Counted yields the usage as it is known before the answer begins; a wire that does not send it then
// need not call it.
func (a *Answer) Counted() {
	if usage := a.Usage; usage.Context() > 0 {
		a.send(model.Delta{Kind: model.UsageDelta, Usage: &usage})
	}
}

// Calls returns how many tool calls were begun.
func (a *Answer) Calls() int { return len(a.callIDs) }

// Size returns the bytes of text that block n has so far.
func (a *Answer) Size(n int) int { return a.blocks[n].size }

// finish yields the end of every text that stopped inside a rune, and Done.
func (a *Answer) finish() {
	for n := range a.blocks {
		b := &a.blocks[n]
		if rest := b.text.rest(); rest != "" {
			a.emit(model.Delta{Kind: b.kind, Block: n, Text: rest, Summary: b.summary})
		}
	}
	a.flush()
	r := &model.Response{Message: a.message.Message(), Stop: a.Stop, Usage: a.Usage, Cost: a.Cost, Model: a.Model}
	switch {
	case r.Stop != "":
	case a.Calls() > 0:
		r.Stop = model.StopTools
	default:
		r.Stop = model.StopEnd
	}
	r.Moderated = r.Stop == model.StopRefused && (a.Moderated || len(r.Message.Blocks) == 0)
	if r.Usage == (model.Usage{}) {
		r.Usage = estimate(a.req, a.blocks)
	}
	a.send(model.Delta{Kind: model.Done, Response: r})
}

func (a *Answer) send(d model.Delta) {
	if a.left {
		return
	}
	if d.Kind != model.Done && d.Kind != model.UsageDelta {
		a.growing = d.Block
		b := &a.blocks[d.Block]
		if !b.begun {
			b.begun, b.number = true, a.begun
			a.begun++
		}
		d.Block = b.number
	}
	a.message.Add(d)
	a.left = !a.yield(d, nil)
}
