//go:build linux

package soak

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// A pace is how the model speaks: pieces of text, and the time between two.
type pace struct {
	pieces int
	every  time.Duration
	length int // bytes of a piece; 0: of a sentence
}

// piece returns one piece.
func (p pace) piece(i int) string {
	text := fmt.Sprintf("piece %d of an answer that says all that there is to say. ", i)
	if p.length > 0 {
		text = strings.Repeat(text, p.length/len(text)+1)[:p.length]
	}
	return text
}

// The model is one of the catalogue that has room for 8,192 tokens: conversations need not be long
// to be summed up, and what stays of one then word for word, a fifth of the room, is little.
const (
	modelName = "openai/moonshot-v1-8k"
	full      = 7_800 // tokens that it says are used when a conversation is to be summed up
)

// model answers everything: "look" by a call of the tool that runs commands, and then in words; all else in words. After
// "enough" the context is full. A summary is two pieces.
func model(t testing.TB, p pace) *stage.Backend {
	return stage.NewBackend(t, modeltest.OpenAIChat, func(body []byte) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			last, tools := lastMessage(body)
			w.Header().Set("Content-Type", "text/event-stream")
			if tools && last.Role == "user" && strings.HasSuffix(last.Text, look) {
				tool, member := shellOf(body)
				chunk(w, fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":%q,"arguments":"{\"%s\":\"echo looked >looked\"}"}}]}`, tool, member), `null`)
				chunk(w, `{}`, `"tool_calls"`)
				finish(w, 900)
				return
			}
			ticks := time.NewTicker(p.every)
			defer ticks.Stop()
			pieces := p.pieces
			if !tools {
				pieces = 2
			}
			for i := range pieces {
				chunk(w, fmt.Sprintf(`{"content":%q}`, p.piece(i)), `null`)
				select {
				case <-ticks.C:
				case <-r.Context().Done():
					return
				}
			}
			chunk(w, `{}`, `"stop"`)
			used := 1000
			if tools && strings.HasSuffix(last.Text, enough) {
				used = full
			}
			finish(w, used)
		})
	})
}

// shellOf returns the tool of a request that runs commands, and the member of its input that is the command.
func shellOf(body []byte) (tool, member string) {
	for _, tool := range []string{"exec_command", "bash"} {
		if bytes.Contains(body, []byte(`"name":"`+tool+`"`)) {
			return tool, map[string]string{"exec_command": "cmd", "bash": "command"}[tool]
		}
	}
	return "shell", "command"
}

// lastMessage returns the last of a request, and whether the model is offered tools.
func lastMessage(body []byte) (m stage.Message, tools bool) {
	var r modeltest.Request
	if err := json.Unmarshal(body, &r.Body); err != nil {
		return m, false
	}
	if all := stage.Conversation(r); len(all) > 0 {
		m = all[len(all)-1]
	}
	return m, r.Body["tools"] != nil
}

func chunk(w http.ResponseWriter, delta, reason string) {
	fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, reason)
	_ = http.NewResponseController(w).Flush()
}

func finish(w http.ResponseWriter, used int) {
	fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":50,"total_tokens":%d}}`+"\n\n", used, used+50)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}
