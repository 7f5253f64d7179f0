package chat

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

// An Answer is what a model answers to one request.
type Answer struct {
	Text   string
	Calls  []Call
	Limit  int // bytes of the inputs of calls after which the answer is cut off; 0: no limit
	Status int // of a refusal; 0: the model answers
	Reason string
}

// A Call is one of a tool.
type Call struct {
	ID    string
	Name  string
	Input Input
}

// An Input is the arguments of a call.
type Input map[string]any

// JSON returns the arguments as a model writes them.
func (i Input) JSON() string {
	text, err := json.Marshal(map[string]any(i), json.Deterministic(true))
	if err != nil {
		panic("chat: input: " + err.Error()) // it is made of texts, numbers, lists and objects
	}
	return string(text)
}

// Size returns the bytes that the model wrote.
func (a Answer) Size() int {
	n := len(a.Text)
	for _, c := range a.Calls {
		n += len(c.Name) + len(c.Input.JSON())
	}
	if a.Limit > 0 {
		n = min(n, a.Limit)
	}
	return n
}

// Cut reports whether the answer is cut off at its limit.
func (a Answer) Cut() bool {
	whole := a
	whole.Limit = 0
	return a.Limit > 0 && whole.Size() > a.Limit
}

// Write answers a request. The model reports that it read so many tokens.
func (a Answer) Write(w http.ResponseWriter, wire modeltest.Wire, read int) error {
	if a.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(a.Status)
		_, err := w.Write([]byte(`{"type":"error","error":{"type":"` + errorType(a) + `","code":"` + errorType(a) + `","message":"` + a.Reason + `"}}`))
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	_, err := w.Write([]byte(wire.Render(modeltest.Stream(a.parts(read)...))))
	return err
}

// errorType returns what providers call a refusal.
func errorType(a Answer) string {
	switch {
	case strings.Contains(a.Reason, "context"):
		return "context_length_exceeded"
	case a.Status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case a.Status >= http.StatusInternalServerError:
		return "overloaded_error"
	}
	return "invalid_request_error"
}

func (a Answer) parts(read int) []modeltest.Part {
	parts := []modeltest.Part{modeltest.Usage(model.Usage{Input: read, Output: max(1, a.Size()/BytesPerToken)})}
	if a.Text != "" {
		parts = append(parts, modeltest.Text(a.Text))
	}
	left := a.Limit - len(a.Text)
	for _, c := range a.Calls {
		input := c.Input.JSON()
		if a.Cut() && len(input) > left {
			return append(parts, modeltest.Call(c.ID, c.Name, input[:max(0, left)]), modeltest.Stop(model.StopTokens))
		}
		left -= len(input)
		parts = append(parts, modeltest.Call(c.ID, c.Name, input))
	}
	return parts
}

// BytesPerToken is how tokens are estimated.
const BytesPerToken = 4
