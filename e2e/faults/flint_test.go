//go:build linux

package faults

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	clients "parley.dev/parley/e2e/client"
)

var flintFace = face{
	name: "flint", args: []string{"flint", "--approval-policy", "always"}, again: []string{"flint", "--approval-policy", "always"},
	dial: func() client { return &flintClient{speaker: speakerOf("flint", flintPrompt)} }, shell: "shell",
	asks: true, finishes: true, retries: 5,
	exits: map[string][]int{"term": {0}, "int": {130}, "hup": {0}, "eof": {0}, "close": {0}, "twice": {143}, "gone": {1}, "unread": {1}, "unread TERM": {1}, "unread INT": {1}, "rival": {0}},
}

type flintClient struct {
	speaker
	turn string
}

// The ids of requests say what is asked for; those of prompts are numbers after them.
const (
	flintHello  = 1
	flintOpen   = 2
	flintPrompt = 100
)

func (c *flintClient) open(r *run) bool {
	there := c.ask(r, "thread/start", "{}")
	r.session = c.Session
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
		c.Session = s.id
	}
	return there
}

func (*flintClient) knock() string {
	return fmt.Sprintf(`{"id":%d,"method":"initialize","params":{"clientInfo":{"name":"faults","version":"1"}}}`+"\n", flintHello)
}

func (c *flintClient) accepted(s sign) { c.turn = s.id }

func (c *flintClient) interrupt() string {
	return fmt.Sprintf(`{"id":9,"method":"turn/interrupt","params":{"threadId":%q,"turnId":%q}}`+"\n", c.Session, c.turn)
}

func (*flintClient) compact() string { return "" }

// flintCalls is the types of items that are calls of tools.
var flintCalls = []string{"commandExecution", "fileChange", "dynamicToolCall", "mcpToolCall", "webSearch"}

func (*flintClient) read(line []byte) []sign {
	m, err := clients.ReadFlint(string(line))
	if err != nil {
		return nil
	}
	switch m.Method {
	case "":
		return flintAnswer(m)
	case "turn/started":
		return []sign{{kind: began}}
	case "item/agentMessage/delta":
		return []sign{{kind: text, text: m.Params.Delta}}
	case "item/started":
		return flintCall(m, called)
	case "item/completed":
		return flintCall(m, returned)
	case "turn/completed":
		return []sign{{kind: ended, how: outcome(m.Params.Turn.Status)}}
	default:
		if m.ID != nil {
			return []sign{{kind: asked, id: string(m.ID)}}
		}
	}
	return nil
}

// flintCall returns a sign of an item, if that is a call of a tool.
func flintCall(m clients.FlintLine, k kind) []sign {
	item := itemOf(m)
	if !slices.Contains(flintCalls, item.Type) {
		return nil
	}
	return []sign{{kind: k, id: item.ID}}
}

// itemOf returns the item of a line.
func itemOf(m clients.FlintLine) (item clients.FlintItem) {
	_ = json.Unmarshal(m.Params.Item, &item) // without one it has no type
	return item
}

func flintAnswer(m clients.FlintLine) []sign {
	if m.Error != nil {
		return []sign{{kind: refused}}
	}
	var r clients.FlintResult
	_ = json.Unmarshal(m.Result, &r) // an initialize has another result
	switch {
	case string(m.ID) == fmt.Sprint(flintHello):
		return []sign{{kind: ready}}
	case r.Thread.ID != "":
		return []sign{{kind: opened, id: r.Thread.ID}}
	case r.Turn.ID != "":
		return []sign{{kind: accepted, id: r.Turn.ID}}
	}
	return nil
}
