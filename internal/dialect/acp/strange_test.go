package acp

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/event"
)

// TestStrangeRecords: records that are none of this protocol disturb nothing.
func TestStrangeRecords(t *testing.T) {
	v := aView(ClientCapabilities{})
	v.render(event.Record{Turn: "t", Event: event.TurnEnded{}})
	dialecttest.Strange(t, func(rec event.Record) int { return len(v.render(rec)) })
}

// strangeLines are lines with the answers to them, ids and codes of errors; "": none.
var strangeLines = []struct{ line, want string }{
	// No messages.
	{`{oops`, "null:-32700"},
	{`{"jsonrpc":"2.0","id":7,"id":8,"method":"session/list"}`, "null:-32700"},
	{`[]`, "null:-32600"},
	{`[{"jsonrpc":"2.0","id":7,"method":"session/list"}]`, "null:-32600"},
	{`7`, "null:-32600"},
	{`null`, "null:-32600"},
	{`{}`, "null:-32600"},
	{`{"jsonrpc":"2.0"}`, "null:-32600"},
	{`{"jsonrpc":"2.0","id":7}`, "null:-32600"},
	{`{"id":7,"method":"session/list"}`, "null:-32600"},
	{`{"jsonrpc":"1.0","id":7,"method":"session/list"}`, "null:-32600"},
	{`{"jsonrpc":2.0,"id":7,"method":"session/list"}`, "null:-32600"},
	{`{"jsonrpc":"2.0","id":1.5,"method":"session/list"}`, "null:-32600"},
	{`{"jsonrpc":"2.0","id":true,"method":"session/list"}`, "null:-32600"},
	{`{"jsonrpc":"2.0","id":[1],"method":"session/list"}`, "null:-32600"},
	{`{"jsonrpc":"2.0","id":7,"method":5}`, "null:-32600"},

	// Answers to nothing.
	{`{"jsonrpc":"2.0","id":99,"result":{}}`, ""},
	{`{"jsonrpc":"2.0","id":"0","result":{"outcome":{"outcome":"selected","optionId":"allow-once"}}}`, ""},
	{`{"jsonrpc":"2.0","id":-1,"error":{"code":-32603,"message":"no"}}`, ""},
	{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`, ""},
	{`{"jsonrpc":"2.0","id":99,"error":"no object"}`, ""},

	// Notifications.
	{`{"jsonrpc":"2.0","method":"session/cancel"}`, ""},
	{`{"jsonrpc":"2.0","method":"session/cancel","params":7}`, ""},
	{`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"none"}}`, ""},
	{`{"jsonrpc":"2.0","method":"$/cancel_request","params":{}}`, ""},
	{`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":{"a":1}}}`, ""},
	{`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"mark"}}`, ""},
	{`{"jsonrpc":"2.0","method":"session/prompt","params":{"sessionId":"none","prompt":[]}}`, ""},
	{`{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":1}}`, ""},
	{`{"jsonrpc":"2.0","method":"_unknown","params":[]}`, ""},
}

// strangeRequests are requests with the codes of the answers once the connection is initialized.
var strangeRequests = []struct {
	method, params string
	code           int
}{
	{"session/update", `{}`, -32601},
	{"session/request_permission", `{}`, -32601},
	{"session/cancel", `{"sessionId":"none"}`, -32601},
	{"$/cancel_request", `{"requestId":1}`, -32601},
	{"session/list", `[]`, -32602},
	{"session/list", `7`, -32602},
	{"session/new", `{}`, -32602},
	{"session/new", `{"cwd":"/none at all","mcpServers":[]}`, -32602},
	{"session/prompt", `{"sessionId":"none"}`, -32602},
	{"session/prompt", `{"sessionId":"none","prompt":[{"type":"text","text":"go"}]}`, -32002},
	{"session/set_mode", `{"sessionId":"none","modeId":"ask"}`, -32002},
	{"_session/steering", `{"sessionId":"none","prompt":[{"type":"text","text":"go"}]}`, -32002},
	{"authenticate", `{"methodId":"none"}`, -32602},
	{"session/fork", `{}`, -32601},
}

// strangeness sends the strange lines, and wants the answers to them, in their order.
func (c *client) strangeness(initialized bool) {
	c.t.Helper()
	var want []string
	for i, s := range strangeLines {
		c.send(s.line + []string{"", "\r", " \t"}[i%3])
		if s.want != "" {
			want = append(want, s.want)
		}
	}
	for i, s := range strangeRequests {
		if !initialized {
			s.code = -32600
		}
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"s-%d","method":%q,"params":%s}`, i, s.method, s.params))
		want = append(want, fmt.Sprintf(`"s-%d":%d`, i, s.code))
	}
	var got []string
	for len(got) < len(want) {
		got = append(got, c.until(func(f frame) bool { return f.Method == "" }, nil).answer())
	}
	for i, answer := range want { // those that take a while may come later
		if !slices.Contains(got, answer) || i < len(strangeLines) && strings.HasPrefix(answer, "null") && got[i] != answer {
			c.t.Errorf("no answer %s at its place in %s", answer, got)
		}
	}
}

// TestStrangeClient: lines that are wrong, too early, too late or there twice are answered in every phase as they should be, and
// nothing else changes.
func TestStrangeClient(t *testing.T) {
	t.Parallel()
	p := dialecttest.NewPlace(t, t.TempDir(), "call shell {\"command\":\"touch made\"}\nnext\ntext Half\nhang\nnext\ntext Done.\n")
	c := dialEarly(t, func(in io.Reader, out io.Writer) int {
		return serveInProcess(context.Background(), []string{"acp"}, in, out, io.Discard, p.Env)
	})
	c.strangeness(false)
	c.call("initialize", `{"protocolVersion":1}`, nil)
	c.strangeness(true)
	session := c.newIn(p.Work)
	c.strangeness(true)

	turn := c.request("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"go"}]}`, session))
	ask := c.until(func(f frame) bool { return f.Method == "session/request_permission" }, nil)
	c.strangeness(true)
	c.refused(c.call("session/load", loadParams(session, p.Work), nil), -32600, "busy")
	if f := c.call("initialize", `{"protocolVersion":1}`, nil); f.Error != nil {
		t.Errorf("a second initialize in a turn: %+v", f.Error)
	}
	if f := c.answered(turn, "session/list", `{}`); f.Error != nil || len(f.Result.Sessions) != 1 {
		t.Errorf("a request with the id of the prompt: %+v", f)
	}
	c.decide(string(ask.ID), `{"outcome":{"outcome":"selected","optionId":"allow-once"}}`)
	c.until(func(f frame) bool { return f.Params.Update.Kind == "agent_message_chunk" }, nil)
	if _, err := os.Stat(filepath.Join(p.Work, "made")); err != nil {
		t.Errorf("the call that was allowed did not run: %v", err)
	}
	c.decide(string(ask.ID), `{"outcome":{"outcome":"cancelled"}}`) // the second answer
	c.strangeness(true)
	for range 2 {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session))
	}
	c.await(turn, nil)
	c.strangeness(true)
	if f := c.prompt(session, "more"); f.Error != nil {
		t.Errorf("the next turn: %+v", f.Error)
	}
	c.call("session/close", fmt.Sprintf(`{"sessionId":%q}`, session), nil)
	c.strangeness(true)
	c.close()
}

// answered sends a request with an id that is in use, and returns the first answer with it.
func (c *client) answered(id, method, params string) frame {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return c.await(id, nil)
}

// decide answers a request of the agent.
func (c *client) decide(id, result string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
}

// TestStrangeDecisions: an answer to a request for permission that is no decision refuses the call, the turn goes on, and a
// proper answer after it is too late.
func TestStrangeDecisions(t *testing.T) {
	t.Parallel()
	answers := []string{
		`"result":7`, `"result":"allow-once"`, `"result":null`, `"result":[]`, `"result":{}`,
		`"result":{"outcome":null}`, `"result":{"outcome":"selected"}`, `"result":{"outcome":[]}`, `"result":{"outcome":{}}`,
		`"result":{"outcome":{"outcome":"selected"}}`, `"result":{"outcome":{"outcome":"selected","optionId":"none"}}`,
		`"result":{"outcome":{"outcome":"selected","optionId":7}}`, `"result":{"outcome":{"outcome":"selected","optionId":["allow-once"]}}`,
		`"result":{"outcome":{"outcome":"allowed","optionId":"allow-once"}}`, `"result":{"outcome":{"optionId":"allow-once"}}`,
		`"result":{"outcome":{"outcome":"selected","optionId":"allow-once"}},"error":{"code":1,"message":"m"}`,
		`"error":{"code":-32603,"message":"no"}`, `"error":null`, `"error":"allow-once"`,
	}
	p := dialecttest.NewPlace(t, t.TempDir(), strings.Repeat("call shell {\"command\":\"touch made\"}\nnext\nexpect the user denied this call\ntext Done.\nnext\n", len(answers)))
	c := dialInProcess(t, p.Env)
	session := c.newIn(p.Work)
	for _, answer := range answers {
		turn := c.request("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"go"}]}`, session))
		ask := c.until(func(f frame) bool { return f.Method == "session/request_permission" }, nil)
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, ask.ID, answer))
		c.decide(string(ask.ID), `{"outcome":{"outcome":"selected","optionId":"allow-once"}}`)
		failed := 0
		end := c.await(turn, func(f frame) {
			if string(f.Params.Update.whole["status"]) == `"failed"` {
				failed++
			}
		})
		if failed != 1 || end.Error != nil {
			t.Errorf("%s: %d failed calls, %+v", answer, failed, end.Error)
		}
	}
	if _, err := os.Stat(filepath.Join(p.Work, "made")); err == nil {
		t.Error("a call ran that was not allowed")
	}
	c.close()
}

// TestStrangeFiles: an answer with no text to a request for a file is an error of the client: the file on disk is read instead.
func TestStrangeFiles(t *testing.T) {
	t.Parallel()
	answers := []string{
		`"result":7`, `"result":"text"`, `"result":null`, `"result":[]`, `"result":{}`, `"result":{"content":null}`, `"result":{"content":7}`,
		`"result":{"content":["text"]}`, `"error":{"code":-32002,"message":"Resource not found"}`, `"error":null`,
	}
	p := dialecttest.NewPlace(t, t.TempDir(), strings.Repeat("call read {\"path\":\"a.txt\"}\nnext\nexpect text on disk\ntext Done.\nnext\n", len(answers)))
	if err := os.WriteFile(filepath.Join(p.Work, "a.txt"), []byte("text on disk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := dialInProcess(t, p.Env)
	c.call("initialize", `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}}}`, nil)
	session := c.newIn(p.Work)
	for _, answer := range answers {
		turn := c.request("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"go"}]}`, session))
		request := c.until(func(f frame) bool { return f.Method == "fs/read_text_file" }, nil)
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, request.ID, answer))
		if end := c.await(turn, nil); end.Error != nil {
			t.Errorf("%s: %+v", answer, end.Error)
		}
	}
	c.close()
}
