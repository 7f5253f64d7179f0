package modeltest

import (
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/model"
)

// Model is the id that replies claim to come from.
const Model = "scripted-1"

// A Wire is one of the protocols that a Server speaks. It is known by the request's path.
type Wire string

// The wires, and how their paths end.
const (
	OpenAIChat      Wire = "/chat/completions"
	OpenAIResponses Wire = "/responses"
	Anthropic       Wire = "/messages"
)

// BaseURL returns what a client of the wire calls the base of the server at url.
func (w Wire) BaseURL(url string) string {
	if w == Anthropic {
		return url
	}
	return url + "/v1"
}

// Render returns r's stream on the wire, in one piece, as if it waited for nothing.
func (w Wire) Render(r Reply) string {
	var all strings.Builder
	for _, s := range w.steps(r) {
		all.WriteString(s.data)
	}
	return all.String()
}

// supported returns blocks as the wire can send them: only the Responses wire distinguishes summaries from reasoning.
func (w Wire) supported(blocks []model.Block) []model.Block {
	blocks = slices.Clone(blocks)
	for i := range blocks {
		blocks[i].Summary = blocks[i].Summary && w == OpenAIResponses
	}
	return blocks
}

// A step is bytes to write, or a gate to wait at, or a cut.
type step struct {
	data string
	wait bool
	gate <-chan struct{}
	cut  bool
}

// A renderer knows one wire's frames.
type renderer interface {
	begin() string
	part(p Part) string // of text, thinking, signature and call
	errorFrame(p Part) string
	errorData(p Part) string
	end() string
}

func (w Wire) renderer(parts []Part) renderer {
	switch w {
	case OpenAIChat:
		return &chat{usage: usageOf(parts), stop: stopOf(parts)}
	case OpenAIResponses:
		return &responses{usage: usageOf(parts), stop: stopOf(parts)}
	case Anthropic:
		return &messages{usage: usageOf(parts), stop: stopOf(parts)}
	}
	panic("modeltest: no such wire: " + string(w))
}

// steps returns a stream as a list of steps; what ends it before its time stands last.
func (w Wire) steps(r Reply) []step {
	render := w.renderer(r.parts)
	steps := []step{{data: render.begin()}}
	for _, p := range r.parts {
		switch p.kind {
		case partUsage, partStop:
		case partGate:
			steps = append(steps, step{wait: true, gate: p.gate})
		case partRaw:
			steps = append(steps, step{data: p.raw})
		case partErrorFrame:
			return append(steps, step{data: render.errorFrame(p)})
		case partErrorData:
			return append(steps, step{data: render.errorData(p)})
		case partCut:
			return append(steps, step{cut: true})
		case partEnd:
			return steps
		default:
			steps = append(steps, step{data: render.part(p)})
		}
	}
	return append(steps, step{data: render.end()})
}

// frame returns an SSE event; without a name it has only data.
func frame(name, format string, args ...any) string {
	data := "data: " + fmt.Sprintf(format, args...) + "\n\n"
	if name == "" {
		return data
	}
	return "event: " + name + "\n" + data
}
