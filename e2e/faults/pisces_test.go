//go:build linux

package faults

import clients "parley.dev/parley/e2e/client"

var piscesFace = face{
	name: "pisces", args: []string{"pisces", "--mode", "rpc"}, again: []string{"pisces", "--mode", "rpc", "--continue"},
	dial: func() client { return &piscesClient{speakerOf("pisces", 0)} }, shell: "bash",
	greets: true, shows: true, unshows: true, retries: 3,
	exits: map[string][]int{"term": {143}, "int": {130}, "hup": {129}, "eof": {0}, "close": {0, 143}, "twice": {143}, "gone": {0}, "unread": {0}, "unread TERM": {143}, "unread INT": {130}, "rival": {1}},
	files: map[string]string{".pisces/agent/config.yml": "retry:\n  baseDelayMs: 20\ncompaction:\n  keepRecentTokens: 1\n"},
}

type piscesClient struct{ speaker }

func (c *piscesClient) command(kind string) string {
	return c.Fill(`{"id":"$N","type":"`+kind+`"}`, "") + "\n"
}

func (c *piscesClient) knock() string { return c.command("get_state") }

func (c *piscesClient) interrupt() string { return c.command("abort") }

func (c *piscesClient) compact() string { return c.command("compact") }

func (*piscesClient) read(line []byte) []sign {
	m, err := clients.ReadPisces(string(line))
	if err != nil {
		return nil
	}
	switch m.Type {
	case "ready":
		return []sign{{kind: ready}, {kind: opened}}
	case "response":
		switch {
		case m.Command == "compact":
			return []sign{{kind: compacted}}
		case m.Command == "parse": // what was refused is not said
			return []sign{{kind: refused}, {kind: compacted}}
		case m.Command == "prompt" && m.Success:
			return []sign{{kind: accepted, id: m.ID}}
		case m.Command == "prompt":
			return []sign{{kind: refused}}
		}
	case "agent_start":
		return []sign{{kind: began}}
	case "message_update":
		switch m.Event.Type {
		case "text_delta":
			return []sign{{kind: text, text: m.Event.Delta}}
		case "toolcall_delta":
			return []sign{{kind: input}}
		}
	case "tool_execution_start":
		return []sign{{kind: called, id: m.CallID}}
	case "tool_execution_end":
		return []sign{{kind: returned, id: m.CallID}}
	case "agent_end":
		how := failed
		if n := len(m.Messages); n > 0 {
			switch m.Messages[n-1].StopReason {
			case "stop":
				how = completed
			case "aborted":
				how = interrupted
			}
		}
		return []sign{{kind: ended, how: how}}
	}
	return nil
}
