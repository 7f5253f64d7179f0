//go:build linux

package faults

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"

	clients "parley.dev/parley/e2e/client"
)

var acpFace = face{
	name: "acp", args: []string{"acp"}, again: []string{"acp"},
	dial: func() client { return &acpClient{speaker: speakerOf("acp", acpFirst)} }, shell: "shell",
	asks: true, tacit: true, retries: 8,
	exits: map[string][]int{"term": {0}, "int": {0}, "hup": {0}, "eof": {0}, "close": {0}, "twice": {143}, "gone": {1}, "unread": {1}, "unread TERM": {1}, "unread INT": {1}, "rival": {0}},
}

// An acpClient is one client. What its reader knows is of the running turn: no line says that it begins.
type acpClient struct {
	speaker
	turns bool
	runs  atomic.Bool // the turn of the last prompt, though no line may have said anything of it
}

// accepted notes that a turn runs: the next error of a prompt is its end, and not a refusal. The protocol has one answer for both.
func (c *acpClient) accepted(sign) { c.runs.Store(true) }

// The ids of requests say what is asked for; those of prompts are the session.
const (
	acpHello = 1
	acpOpen  = 2
	acpFirst = 100
)

func (c *acpClient) open(r *run) bool {
	there := c.ask(r, "session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, r.place.Work))
	r.session = c.Session
	return there
}

func (c *acpClient) again(r *run) bool {
	there := c.ask(r, "session/resume", fmt.Sprintf(`{"sessionId":%q,"cwd":%q}`, r.session, r.place.Work))
	c.Session = r.session
	return there
}

// ask opens a session by a request.
func (c *acpClient) ask(r *run, method, params string) bool {
	r.send(c.knock())
	_, at := r.tap.await(ready, 0)
	r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", acpOpen, method, params))
	there := r.opens(at)
	if there {
		s, _ := r.tap.await(opened, at)
		c.Session = s.id
	}
	return there
}

// knock announces that the client shows compactions and notices: else they would be texts of the model.
func (*acpClient) knock() string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"session":{"compaction":{},"notices":{}}},"clientInfo":{"name":"faults","version":"1"}}}`+"\n", acpHello)
}

func (c *acpClient) interrupt() string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`+"\n", c.Session)
}

func (c *acpClient) compact() string {
	return strings.ReplaceAll(c.prompt("/compact"), `"id":"`, `"id":"`+acpCompact)
}

// acpCompact begins the id of a prompt that compacts.
const acpCompact = "compact-"

func (c *acpClient) read(line []byte) []sign {
	m, err := clients.ReadACP(string(line))
	if err != nil {
		return nil
	}
	switch m.Method {
	case "":
		return c.answer(m)
	case "session/request_permission":
		return append(c.turn(), sign{kind: asked, id: string(m.ID)})
	case "session/update":
		return c.update(m.Params.Update)
	}
	return nil
}

func (c *acpClient) update(u clients.ACPUpdate) []sign {
	switch u.Kind {
	case "agent_message_chunk":
		return append(c.turn(), sign{kind: text, text: u.Text()})
	case "tool_call":
		return append(c.turn(), sign{kind: called, id: u.ToolCallID})
	case "tool_call_update":
		if u.Status == "completed" || u.Status == "failed" {
			return []sign{{kind: returned, id: u.ToolCallID}}
		}
	}
	return nil
}

func (c *acpClient) answer(m clients.ACPLine) []sign {
	var r struct {
		SessionID  string `json:"sessionId"`
		StopReason string `json:"stopReason"`
	}
	_ = json.Unmarshal(m.Result, &r) // an initialize has another result
	prompt := strings.HasPrefix(string(m.ID), `"`)
	switch {
	case strings.HasPrefix(string(m.ID), `"`+acpCompact):
		return append(c.commandEnds(), sign{kind: compacted})
	case m.Error != nil && prompt && (c.turns || c.runs.Load() || m.Error.Data.Kind != "internal"): // else it has not begun
		s := c.turn()
		c.ends()
		return append(s, sign{kind: ended, how: failed})
	case m.Error != nil:
		return []sign{{kind: refused}}
	case string(m.ID) == fmt.Sprint(acpHello):
		return []sign{{kind: ready}}
	case string(m.ID) == fmt.Sprint(acpOpen):
		return []sign{{kind: opened, id: r.SessionID}}
	case r.StopReason != "":
		s := c.turn()
		c.ends()
		return append(s, sign{kind: ended, how: map[string]outcome{"end_turn": completed, "cancelled": interrupted}[r.StopReason]})
	}
	return nil
}

// commandEnds returns the end of a turn, if a command has said something, which looks like the beginning of one.
func (c *acpClient) commandEnds() []sign {
	if !c.turns {
		return nil
	}
	c.turns = false
	return []sign{{kind: ended, how: completed}}
}

func (c *acpClient) ends() {
	c.turns = false
	c.runs.Store(false)
}

// turn returns the beginning of a turn, if none has begun.
func (c *acpClient) turn() []sign {
	if c.turns {
		return nil
	}
	c.turns = true
	return []sign{{kind: began}}
}
