//go:build linux

package faults

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var flintFace = face{
	name: "flint", args: []string{"flint", "--approval-policy", "always"}, again: []string{"flint", "--approval-policy", "always"},
	dial: func() client { return &flintClient{} }, shell: "shell",
	asks: true, finishes: true, retries: 5,
	exits: map[string][]int{"term": {0}, "int": {130}, "hup": {0}, "eof": {0}, "close": {0}, "twice": {143}, "gone": {1}, "unread": {1}, "unread TERM": {1}, "unread INT": {1}, "rival": {0}},
}

type flintClient struct {
	sent         int
	thread, turn string
}

// The ids of requests say what is asked for; those of prompts are numbers after them.
const (
	flintHello  = 1
	flintOpen   = 2
	flintPrompt = 100
)

func (c *flintClient) open(r *run) bool {
	there := c.ask(r, "thread/start", "{}")
	r.session = c.thread
	return there
}

func (c *flintClient) again(r *run) bool {
	return c.ask(r, "thread/resume", fmt.Sprintf(`{"threadId":%q}`, r.session))
}

// ask opens a thread by a request.
func (c *flintClient) ask(r *run, method, params string) bool {
	r.send(c.knock())
	_, at := r.tap.await(ready, 0)
	r.send(`{"method":"initialized"}` + "\n" + fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`+"\n", flintOpen, method, params))
	there := r.opens(at)
	if there {
		s, _ := r.tap.await(opened, at)
		c.thread = s.id
	}
	return there
}

func (*flintClient) knock() string {
	return fmt.Sprintf(`{"id":%d,"method":"initialize","params":{"clientInfo":{"name":"faults","version":"1"}}}`+"\n", flintHello)
}

func (c *flintClient) prompt(text string) string {
	c.sent++
	return fmt.Sprintf(`{"id":%d,"method":"turn/start","params":{"threadId":%q,"input":[{"type":"text","text":%q}]}}`+"\n", flintPrompt+c.sent, c.thread, text)
}

func (c *flintClient) accepted(s sign) { c.turn = s.id }

func (c *flintClient) interrupt() string {
	return fmt.Sprintf(`{"id":9,"method":"turn/interrupt","params":{"threadId":%q,"turnId":%q}}`+"\n", c.thread, c.turn)
}

func (*flintClient) compact() string { return "" }

func (*flintClient) allow(ask sign) string {
	return fmt.Sprintf(`{"id":%s,"result":{"decision":"accept"}}`+"\n", ask.id)
}

// flintCalls is the types of items that are calls of tools.
var flintCalls = []string{"commandExecution", "fileChange", "dynamicToolCall", "mcpToolCall", "webSearch"}

func (*flintClient) read(line []byte) []sign {
	var m struct {
		ID     jsontext.Value `json:"id"`
		Method string         `json:"method"`
		Result struct {
			Thread struct {
				ID string `json:"id"`
			} `json:"thread"`
			Turn struct {
				ID string `json:"id"`
			} `json:"turn"`
		} `json:"result"`
		Error  jsontext.Value `json:"error"`
		Params struct {
			Delta string `json:"delta"`
			Item  struct {
				Type string `json:"type"`
				ID   string `json:"id"`
			} `json:"item"`
			Turn struct {
				Status string `json:"status"`
			} `json:"turn"`
		} `json:"params"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return nil
	}
	switch m.Method {
	case "":
		return flintAnswer(string(m.ID), m.Error != nil, m.Result.Thread.ID, m.Result.Turn.ID)
	case "turn/started":
		return []sign{{kind: began}}
	case "item/agentMessage/delta":
		return []sign{{kind: text, text: m.Params.Delta}}
	case "item/started":
		if slices.Contains(flintCalls, m.Params.Item.Type) {
			return []sign{{kind: called, id: m.Params.Item.ID}}
		}
	case "item/completed":
		if slices.Contains(flintCalls, m.Params.Item.Type) {
			return []sign{{kind: returned, id: m.Params.Item.ID}}
		}
	case "turn/completed":
		return []sign{{kind: ended, how: outcome(m.Params.Turn.Status)}}
	default:
		if m.ID != nil {
			return []sign{{kind: asked, id: string(m.ID)}}
		}
	}
	return nil
}

func flintAnswer(id string, wrong bool, thread, turn string) []sign {
	switch {
	case wrong:
		return []sign{{kind: refused}}
	case id == fmt.Sprint(flintHello):
		return []sign{{kind: ready}}
	case thread != "":
		return []sign{{kind: opened, id: thread}}
	case turn != "":
		return []sign{{kind: accepted, id: turn}}
	}
	return nil
}
