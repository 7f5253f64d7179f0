package main

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/bench/tasks/chat"
	"parley.dev/parley/internal/model/modeltest"
)

// A result is how a run went.
type result struct {
	run

	why         string // the work was not done; "": it was
	calls       int
	failed      int // of the calls
	written     int // tokens that the model wrote, as it reported them
	compactions int
	meter       figures
}

// countRecords counts what the records of a run have.
func countRecords(lines []byte) (r result) {
	for line := range bytes.Lines(lines) {
		var record struct {
			Kind string `json:"kind"`
			Data struct {
				Outcome string `json:"outcome"`
				Usage   struct {
					Output int `json:"output"`
				} `json:"usage"`
			} `json:"data"`
		}
		if json.Unmarshal(line, &record) != nil {
			continue // a record whose members have other types
		}
		switch record.Kind {
		case "tool_ended":
			r.calls++
			if record.Data.Outcome != "succeeded" {
				r.failed++
			}
		case "turn_ended":
			r.written += record.Data.Usage.Output
		case "compacted":
			r.compactions++
		}
	}
	return r
}

// figures is what a meter has counted.
type figures struct {
	requests int
	head     int // bytes of the system prompt and the tools in the first request
	history  int // bytes of the messages of all requests
	earlier  int // bytes of all requests that another followed
	kept     int // of those, the bytes that the next request begins with
}

// A meter counts the requests that a handler answers.
type meter struct {
	wire    modeltest.Wire
	handler http.Handler

	mu   sync.Mutex
	last *chat.Conversation
	all  figures
}

func newMeter(wire modeltest.Wire, handler http.Handler) *meter {
	return &meter{wire: wire, handler: handler}
}

// ServeHTTP counts a request and passes it on.
func (m *meter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the program has ended
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if c, err := chat.Parse(m.wire, body); err == nil {
			m.count(c)
		}
	}
	m.handler.ServeHTTP(w, r)
}

func (m *meter) count(c *chat.Conversation) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all.requests++
	m.all.history += c.HistorySize()
	if len(c.Tools) == 0 {
		return // for a summary: it has a prefix of its own
	}
	if m.last == nil {
		m.all.head = c.HeadSize()
	} else {
		m.all.earlier += m.last.Size()
		m.all.kept += c.CommonPrefix(m.last)
	}
	m.last = c
}

func (m *meter) figures() figures {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all
}
