package mock

import (
	"fmt"
	"strings"
	"time"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

// A Scenario is what the model answers to every request.
type Scenario struct {
	First  time.Duration // from the request to the first byte
	Deltas int
	Every  time.Duration // between deltas, each of which is stamped; 0: all at once, not stamped

	// Rounds is how many requests are answered with a call of Tool instead, before one is
	// answered with the deltas. Only one turn at a time can be played so.
	Rounds int
	Tool   string
	Input  string
}

// usage is small, so that no agent thinks of its context.
var usage = modeltest.Usage(model.Usage{Input: 100, Output: 10})

// answer returns the frames of the final answer on a wire.
func (s Scenario) answer(wire modeltest.Wire) string {
	text := plain
	if s.Every > 0 {
		text = unsent
	}
	parts := []modeltest.Part{usage}
	for range s.Deltas {
		parts = append(parts, modeltest.Text(text))
	}
	return wire.Render(modeltest.Stream(parts...))
}

// call returns the frames of the n-th answer that asks for the tool.
func (s Scenario) call(wire modeltest.Wire, n int) string {
	return wire.Render(modeltest.Stream(usage, modeltest.Call(fmt.Sprintf("call_%d", n), s.Tool, s.Input)))
}

// frames returns a stream cut after each event.
func frames(stream string) []string { return strings.SplitAfter(stream, "\n\n") }
