package modeltest

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// A Reply is what a Server answers to one request, whichever wire it came by.
type Reply struct {
	status int // 0: a stream of parts
	header http.Header
	body   string
	parts  []Part
	every  int   // split the stream after so many bytes; 0: after each part
	at     []int // and at these places, in bytes from its start
}

// Stream returns a Reply that says parts in order and then ends as the wire demands, unless
// one of them ends it before. Without a Stop it ends with the tools if it has calls.
func Stream(parts ...Part) Reply { return Reply{parts: parts} }

// Refuse returns a Reply with an HTTP status and a body of the caller's. header are pairs of
// names and values.
func Refuse(status int, body string, header ...string) Reply {
	r := Reply{status: status, body: body, header: make(http.Header)}
	for i := 0; i+1 < len(header); i += 2 {
		r.header.Set(header[i], header[i+1])
	}
	return r
}

// SplitEvery returns r sent in pieces of n bytes, each flushed: in the middle of runes and frames.
func (r Reply) SplitEvery(n int) Reply {
	r.every = n
	return r
}

// SplitAt returns r with a flush at each of the places, in bytes from the start of the stream.
func (r Reply) SplitAt(places ...int) Reply {
	r.at = places
	return r
}

// A Part is a step of a streamed Reply.
type Part struct {
	kind      partKind
	text      jsontext.Value // a JSON string
	signature string
	call      model.Call
	pieces    []string
	usage     model.Usage
	stop      model.Stop
	gate      <-chan struct{}
	code      string
	raw       string
}

type partKind int

const (
	partText partKind = iota
	partThinking
	partSummary
	partSignature
	partCall
	partUsage
	partStop
	partGate
	partErrorFrame
	partErrorData
	partRaw
	partCut
	partEnd
)

// Text returns one delta of text. Neighbours belong to one block.
func Text(text string) Part { return Part{kind: partText, text: quote(text)} }

// TextJSON returns one delta of text as the JSON string that literal is, quotes included: for
// escapes that are only half a rune.
func TextJSON(literal string) Part { return Part{kind: partText, text: jsontext.Value(literal)} }

// Thinking returns one delta of thinking. Neighbours belong to one block.
func Thinking(text string) Part { return Part{kind: partThinking, text: quote(text)} }

// Summary returns one delta of a summary of the reasoning. Only the Responses wire distinguishes it
// from thinking; on the others it is one of Thinking.
func Summary(text string) Part { return Part{kind: partSummary, text: quote(text)} }

// Signature signs the thinking before it. The chat wire has no signatures and says nothing.
func Signature(s string) Part { return Part{kind: partSignature, signature: s} }

// Call returns a tool call whose input comes in pieces.
func Call(id, name string, pieces ...string) Part {
	return Part{kind: partCall, call: model.Call{ID: id, Name: name}, pieces: pieces}
}

// Usage returns what the reply reports at its end. Without it no usage is reported.
func Usage(u model.Usage) Part { return Part{kind: partUsage, usage: u} }

// Stop returns why the reply ends. A reason that is not one of ours is sent as it is.
func Stop(s model.Stop) Part { return Part{kind: partStop, stop: s} }

// Wait holds the reply until gate is closed, or the client is gone; nil is never closed.
func Wait(gate <-chan struct{}) Part { return Part{kind: partGate, gate: gate} }

// Fail ends the reply with the wire's error frame, an SSE event named error.
func Fail(code, message string) Part {
	return Part{kind: partErrorFrame, code: code, text: quote(message)}
}

// FailInData ends the reply with the other way of failing: a chunk with an error in it,
// a response.failed, an unnamed error.
func FailInData(code, message string) Part {
	return Part{kind: partErrorData, code: code, text: quote(message)}
}

// Raw writes s as it is.
func Raw(s string) Part { return Part{kind: partRaw, raw: s} }

// Cut breaks the connection.
func Cut() Part { return Part{kind: partCut} }

// End ends the stream in good order, but without what the wire demands there.
func End() Part { return Part{kind: partEnd} }

func quote(s string) jsontext.Value {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic("modeltest: text is not UTF-8: " + s)
	}
	return b
}

// usageOf and stopOf are what the end of a reply contains.
func usageOf(parts []Part) (u model.Usage) {
	for _, p := range parts {
		if p.kind == partUsage {
			u = p.usage
		}
	}
	return u
}

func stopOf(parts []Part) model.Stop {
	stop := model.StopEnd
	for _, p := range parts {
		switch p.kind {
		case partCall:
			stop = model.StopTools
		case partStop:
			return p.stop
		}
	}
	return stop
}
