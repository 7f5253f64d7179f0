//go:build linux

package faults

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	clients "parley.dev/parley/e2e/client"
)

var loafFace = face{
	name: "loaf", args: []string{"loaf", "rpc"}, again: []string{"loaf", "rpc"},
	dial: func() client { return &loafClient{speaker: speakerOf("loaf", loafPrompt)} }, shell: "bash", retries: 3,
	exits: map[string][]int{"term": {0}, "int": {0}, "hup": {0}, "eof": {0}, "close": {0}, "twice": {143}, "gone": {0}, "unread": {0}, "unread TERM": {0}, "unread INT": {0}, "rival": {0}},
}

type loafClient struct {
	speaker
	how     outcome // of the running turn; the reader's
	running bool    // a turn runs; the reader's
}

// The ids of requests say what is asked for; those of prompts are numbers after them.
const (
	loafHello   = 1
	loafOpen    = 2
	loafHistory = 3
	loafCompact = 4
	loafPrompt  = 100
)

func (c *loafClient) open(r *run) bool {
	r.send(c.knock())
	r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session.create","params":{}}`+"\n", loafOpen))
	s, _ := r.tap.await(opened, 0)
	c.Session = s.id
	return true
}

func (c *loafClient) again(r *run) bool {
	c.open(r)
	n := len(r.tap.heard())
	r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"command.execute","params":{"session_id":%q,"raw_command":"/history last"}}`+"\n", loafHistory, c.Session))
	return r.opens(n)
}

func (*loafClient) knock() string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"system.ping"}`+"\n", loafHello)
}

func (c *loafClient) interrupt() string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"session.interrupt","params":{"session_id":%q}}`+"\n", c.Session)
}

func (c *loafClient) compact() string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"command.execute","params":{"session_id":%q,"raw_command":"/compress"}}`+"\n", loafCompact, c.Session)
}

func (c *loafClient) read(line []byte) []sign {
	m, err := clients.ReadLoaf(string(line))
	if err != nil {
		return nil
	}
	switch m.Method {
	case "":
		return loafAnswer(string(m.ID), m.Result, m.Error != nil)
	case "session.status":
		switch {
		case m.Params.Label == "preparing..." && !c.running:
			c.running, c.how = true, completed
			return []sign{{kind: began}}
		case !m.Params.Pending && c.running:
			c.running = false
			return []sign{{kind: ended, how: c.how}}
		}
	case "session.stream.chunk":
		return []sign{{kind: text, text: m.Params.Chunk.AnswerText}}
	case "session.tool.call.started":
		return []sign{{kind: called, id: m.Params.Data.CallID}}
	case "session.tool.call.completed":
		return []sign{{kind: returned, id: m.Params.Data.CallID}}
	case "session.interrupted":
		c.how = interrupted
	case "session.error":
		c.how = failed
	}
	return nil
}

func loafAnswer(id string, result jsontext.Value, wrong bool) []sign {
	var r struct {
		SessionID string `json:"session_id"`
		TurnID    string `json:"turn_id"`
		Output    struct {
			Error  string `json:"error"`
			Status string `json:"status"`
			Busy   bool   `json:"busy"`
		} `json:"output"`
	}
	_ = json.Unmarshal(result, &r) // pings have another result
	switch {
	case id == fmt.Sprint(loafCompact):
		return []sign{{kind: compacted}}
	case wrong:
		return []sign{{kind: refused}}
	case id == fmt.Sprint(loafHello):
		return []sign{{kind: ready}}
	case id == fmt.Sprint(loafOpen):
		return []sign{{kind: opened, id: r.SessionID}}
	case id == fmt.Sprint(loafHistory):
		return []sign{{kind: opened}}
	case r.TurnID != "":
		return []sign{{kind: accepted, id: r.TurnID}}
	}
	return nil
}
