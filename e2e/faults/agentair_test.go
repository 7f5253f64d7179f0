//go:build linux

package faults

import (
	"strings"

	clients "parley.dev/parley/e2e/client"
)

// Sessions of this dialect end with their process, on the wire; another face opens them.
var airFace = face{
	name: "agentair", args: []string{"agentair"}, dial: func() client { return &agentairClient{speaker: speakerOf("agentair", 0)} }, shell: "bash",
	greets: true, asks: true, tacit: true, finishes: true, forgets: true, retries: 8, heir: &scaifluxFace,
	exits: map[string][]int{"term": {0}, "int": {0}, "hup": {0}, "eof": {0}, "close": {0}, "twice": {143}, "gone": {1}, "unread": {1}, "unread TERM": {1}, "unread INT": {1}},
}

type agentairClient struct {
	speaker
	// What the reader knows: of the running turn, and of an error that stood before any sign of
	// one: only the end reports whether it was the turn's.
	how   outcome
	turns bool
	wrong bool
}

func (*agentairClient) knock() string { return `{"Interrupt":{"session_id":1}}` + "\n" }

func (*agentairClient) interrupt() string { return `{"Interrupt":{"session_id":1}}` + "\n" }

func (*agentairClient) compact() string { return `{"Compact":{"session_id":1}}` + "\n" }

func (c *agentairClient) read(line []byte) []sign {
	m, err := clients.ReadAgentAir(string(line))
	if err != nil {
		return nil
	}
	switch m.Variant {
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
