// Floor is the least that an agent can be: net/http and encoding/json from the model's events to
// lines for the client, nothing kept, nothing asked, nothing confined. What our program takes is
// reported as a multiple of what this one takes. "floor acp" is the same as an agent of the Agent Client Protocol.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// A prompt is a line that comes in.
type prompt struct {
	Session int    `json:"session"`
	Text    string `json:"text"`
}

// A line is one that goes out: ready, delta or end.
type line struct {
	Type    string `json:"type"`
	Session int    `json:"session,omitempty"`
	Text    string `json:"text,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Calls   []call `json:"tool_calls,omitempty"`
	CallID  string `json:"tool_call_id,omitempty"`
}

type call struct {
	Index    int      `json:"index"`
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type request struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Messages []message `json:"messages"`
}

type chunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
			Calls   []call `json:"tool_calls"`
		} `json:"delta"`
	} `json:"choices"`
}

var out struct {
	sync.Mutex
	*json.Encoder
}

func encode(value any) {
	out.Lock()
	defer out.Unlock()
	if out.Encode(value) != nil {
		os.Exit(1) // nothing reads it
	}
}

func main() {
	out.Encoder = json.NewEncoder(os.Stdout)
	if len(os.Args) > 1 && os.Args[1] == "acp" {
		serveACP()
		return
	}
	encode(line{Type: "ready"})
	var turns sync.WaitGroup
	for in := json.NewDecoder(os.Stdin); ; {
		var p prompt
		if err := in.Decode(&p); err != nil {
			break
		}
		turns.Go(func() {
			turn(p.Text, func(text string) { encode(line{Type: "delta", Session: p.Session, Text: text}) })
			encode(line{Type: "end", Session: p.Session})
		})
	}
	turns.Wait()
}

// turn asks the model, and runs what it calls, until it calls nothing.
func turn(prompt string, say func(text string)) {
	messages := []message{{Role: "user", Content: prompt}}
	for {
		calls, err := ask(messages, say)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if len(calls) == 0 {
			return
		}
		messages = append(messages, message{Role: "assistant", Calls: calls})
		for _, c := range calls {
			messages = append(messages, message{Role: "tool", CallID: c.ID, Content: run(c.Function)})
		}
	}
}

// ask returns one call of the model; it says what the model says, and gives what it calls.
func ask(messages []message, say func(text string)) (calls []call, err error) {
	body, err := json.Marshal(request{Model: "scripted-1", Stream: true, Messages: messages})
	if err != nil {
		return nil, err
	}
	response, err := http.Post(os.Getenv("OPENAI_BASE_URL")+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		data, found := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !found || string(data) == "[DONE]" {
			continue
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			return nil, err
		}
		for _, choice := range c.Choices {
			if choice.Delta.Content != "" {
				say(choice.Delta.Content)
			}
			for _, piece := range choice.Delta.Calls {
				if piece.ID != "" {
					calls = append(calls, piece)
				} else {
					calls[piece.Index].Function.Arguments += piece.Function.Arguments
				}
			}
		}
	}
	return calls, lines.Err()
}

// run runs a command, or reads a file.
func run(f function) string {
	var input struct{ Command, Path string }
	if err := json.Unmarshal([]byte(f.Arguments), &input); err != nil {
		return err.Error()
	}
	var output []byte
	var err error
	if f.Name == "read" {
		output, err = os.ReadFile(input.Path)
	} else {
		output, err = exec.Command("sh", "-c", input.Command).Output()
	}
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(output))
}
