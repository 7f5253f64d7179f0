// Package chat is a conversation as a model sees it: the requests of each provider's wire read into
// one form, and answers written for it. It knows no task and no agent.
package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model/modeltest"
)

// A Conversation is what one request carries.
type Conversation struct {
	System   string
	Tools    []Tool
	Messages []Message

	head int      // how many of the pieces are the tools and the system prompt
	all  []string // the request in pieces, in the order in which providers cache them
}

// A Tool is one that the model may call.
type Tool struct {
	Name   string
	Schema jsontext.Value
}

// A Message is one of the user, the model or the tools.
type Message struct {
	Role    string // "user", "assistant" or "tool"
	Text    string
	Results []Result
}

// A Result is what a tool call returned.
type Result struct {
	CallID string
	Text   string
	Failed bool // only Anthropic's wire has it
}

// Parse reads the body of a request.
func Parse(wire modeltest.Wire, body []byte) (*Conversation, error) {
	c := &Conversation{}
	var err error
	switch wire {
	case modeltest.Anthropic:
		err = c.parseAnthropic(body)
	case modeltest.OpenAIChat:
		err = c.parseChat(body)
	case modeltest.OpenAIResponses:
		err = c.parseResponses(body)
	default:
		err = fmt.Errorf("no such wire: %s", wire)
	}
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	return c, nil
}

// Offers reports whether the model may call a tool of that name.
func (c *Conversation) Offers(name string) bool {
	return slices.ContainsFunc(c.Tools, func(t Tool) bool { return t.Name == name })
}

// Result returns what a call returned; false where the request does not have it.
func (c *Conversation) Result(id string) (Result, bool) {
	for _, m := range c.Messages {
		for _, r := range m.Results {
			if r.CallID == id {
				return r, true
			}
		}
	}
	return Result{}, false
}

// Text returns everything that the user and the tools wrote, in order.
func (c *Conversation) Text() string {
	var b strings.Builder
	for _, m := range c.Messages {
		if m.Role != "assistant" {
			b.WriteString(m.Text + "\n")
		}
		for _, r := range m.Results {
			b.WriteString(r.Text + "\n")
		}
	}
	return b.String()
}

// Last returns what follows the last answer of the model.
func (c *Conversation) Last() string {
	at := len(c.Messages)
	for at > 0 && c.Messages[at-1].Role != "assistant" {
		at--
	}
	last := Conversation{Messages: c.Messages[at:]}
	return last.Text()
}

// HeadSize returns the bytes of the system prompt and the tools.
func (c *Conversation) HeadSize() int { return size(c.all[:c.head]) }

// HistorySize returns the bytes of the messages.
func (c *Conversation) HistorySize() int { return size(c.all[c.head:]) }

// Size returns the bytes of the request, without what is not the model's to read.
func (c *Conversation) Size() int { return size(c.all) }

// CommonPrefix returns how many bytes at the beginning of the request are those of an earlier one, whole
// messages only, as providers cache them.
func (c *Conversation) CommonPrefix(earlier *Conversation) int {
	n := 0
	for n < min(len(c.all), len(earlier.all)) && c.all[n] == earlier.all[n] {
		n++
	}
	return size(c.all[:n])
}

func size(pieces []string) (n int) {
	for _, p := range pieces {
		n += len(p)
	}
	return n
}

// addTool and the others keep the order of providers' caches: tools, system prompt, messages.
func (c *Conversation) addTool(name string, schema, whole jsontext.Value) {
	c.Tools = append(c.Tools, Tool{name, schema})
	c.addHead(whole)
}

func (c *Conversation) addHead(whole jsontext.Value) {
	c.all = append(c.all, piece(whole))
	c.head = len(c.all)
}

func (c *Conversation) addMessage(m Message, whole jsontext.Value) {
	c.Messages = append(c.Messages, m)
	c.all = append(c.all, piece(whole))
}

// piece returns a part of a request without marks for the cache, which move from request to request.
func piece(whole jsontext.Value) string {
	var value any
	if json.Unmarshal(whole, &value) != nil {
		return string(whole)
	}
	text, err := json.Marshal(withoutMarks(value), json.Deterministic(true))
	if err != nil {
		return string(whole)
	}
	return string(text)
}

func withoutMarks(value any) any {
	switch v := value.(type) {
	case map[string]any:
		delete(v, "cache_control")
		for name, member := range v {
			v[name] = withoutMarks(member)
		}
	case []any:
		for i, item := range v {
			v[i] = withoutMarks(item)
		}
	}
	return value
}

// content is a text, or a list of parts of which some are texts.
type content string

func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content(text)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	err := json.Unmarshal(data, &parts)
	for _, p := range parts {
		*c += content(p.Text)
	}
	return err
}
