//go:build linux

package faults

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

// Sessions of this dialect end with their process, on the wire; another face opens them.
var airFace = face{
	name: "agentair", args: []string{"agentair"}, dial: func() client { return &agentairClient{} }, shell: "bash",
	greets: true, asks: true, finishes: true, forgets: true, retries: 8, heir: &scaifluxFace,
	exits: map[string][]int{"term": {0}, "int": {0}, "hup": {0}, "eof": {0}, "close": {0}, "twice": {143}, "gone": {1}, "unread": {1}, "unread TERM": {1}, "unread INT": {1}},
}

type agentairClient struct {
	sent int
	// What the reader knows: of the running turn, and of an error that stood before any sign of
	// one: only the end reports whether it was the turn's.
	how   outcome
	turns bool
	wrong bool
}

func (*agentairClient) open(r *run) bool { return r.opens(0) }

func (*agentairClient) again(*run) bool { panic("another face does that") }

func (*agentairClient) knock() string { return `{"Interrupt":{"session_id":1}}` + "\n" }

func (c *agentairClient) prompt(text string) string {
	c.sent++
	return fmt.Sprintf(`{"session_id":1,"content":%q,"turn_id":{"role":"User","sequence":%d}}`+"\n", text, c.sent)
}

func (*agentairClient) accepted(sign) {}

func (*agentairClient) interrupt() string { return `{"Interrupt":{"session_id":1}}` + "\n" }

func (*agentairClient) compact() string { return `{"Compact":{"session_id":1}}` + "\n" }

func (*agentairClient) allow(ask sign) string {
	return fmt.Sprintf(`{"PermissionResponse":{"tool_use_id":%q,"response":{"granted":true}}}`+"\n", ask.id)
}

func (c *agentairClient) read(line []byte) []sign {
	var whole map[string]struct {
		Text      string `json:"text"`
		ToolUseID string `json:"tool_use_id"`
		Message   string `json:"message"`
		Command   string `json:"command"`
	}
	if err := json.Unmarshal(line, &whole); err != nil {
		return nil
	}
	for variant, m := range whole {
		switch variant {
		case "System":
			switch {
			case strings.HasPrefix(m.Message, "Session 1 created"):
				return []sign{{kind: ready}, {kind: opened}}
			case m.Message == "Request cancelled":
				s := c.turn()
				c.how = interrupted
				return s
			}
		case "TextChunk":
			return append(c.turn(), sign{kind: text, text: m.Text})
		case "ToolExecuting":
			return append(c.turn(), sign{kind: called, id: m.ToolUseID})
		case "ToolCompleted":
			return append(c.turn(), sign{kind: returned, id: m.ToolUseID})
		case "PermissionRequired":
			return append(c.turn(), sign{kind: asked, id: m.ToolUseID})
		case "Complete":
			wrong := !c.turns && c.wrong
			s := c.turn()
			if wrong {
				c.how = failed
			}
			c.turns = false
			return append(s, sign{kind: ended, how: c.how})
		case "CommandComplete":
			if m.Command == "compact" {
				return []sign{{kind: compacted}}
			}
		case "Error":
			c.how, c.wrong = failed, true
			return []sign{{kind: refused}}
		}
	}
	return nil
}

// turn returns the beginning of a turn, if none has begun: no line of the dialect says that.
func (c *agentairClient) turn() []sign {
	if c.turns {
		return nil
	}
	c.turns, c.how, c.wrong = true, completed, false
	return []sign{{kind: began}}
}
