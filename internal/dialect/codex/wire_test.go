package codex

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
)

// The requests around the lines of TestBadLines, and the answer to the second.
const (
	helloLine = `{"id":"hello","method":"initialize","params":{"clientInfo":{"name":"demo","version":"1"}}}`
	probeLine = `{"id":"probe","method":"thread/loaded/list"}`
	probed    = `{"id":"probe","result":{"data":[],"nextCursor":null}}`
)

// TestBadLines: a line that is no message is dropped, a request that cannot be read gets an error, and the connection goes on.
func TestBadLines(t *testing.T) {
	for name, test := range map[string]struct {
		line string
		want string // of the answer; "": none
	}{
		"no JSON":               {`nothing`, ``},
		"cut off":               {`{"id":1,"method":"thread/list"`, ``},
		"array":                 {`[{"id":1,"method":"thread/list"}]`, ``},
		"scalar":                {`7`, ``},
		"text":                  {`"thread/list"`, ``},
		"null":                  {`null`, ``},
		"blank":                 {``, ``},
		"spaces":                {"  \t", ``},
		"no UTF-8":              {"{\"id\":1,\"method\":\"\xff\"", ``},
		"id null":               {`{"id":null,"method":"thread/list"}`, ``},
		"id fractional":         {`{"id":1.5,"method":"thread/list"}`, ``},
		"id of another type":    {`{"id":[1],"method":"thread/list"}`, ``},
		"no method, no id":      {`{}`, ``},
		"method of a number":    {`{"id":1,"method":7}`, ``},
		"unknown notification":  {`{"method":"something/new","params":{}}`, ``},
		"stray response":        {`{"id":99,"result":{"decision":"accept"}}`, ``},
		"stray error":           {`{"id":99,"error":{"code":-32601,"message":"no"}}`, ``},
		"second initialize":     {helloLine, `{"id":"hello","error":{"code":-32600,"message":"Already initialized"}}`},
		"unknown method":        {`{"id":1,"method":"no"}`, "{\"id\":1,\"error\":{\"code\":-32600,\"message\":\"Invalid request: unknown method `no`\"}}"},
		"params of a number":    {`{"id":1,"method":"thread/list","params":7}`, `{"id":1,"error":{"code":-32600,"message":"Invalid request: params`},
		"wrong member":          {`{"id":1,"method":"thread/list","params":{"limit":"x"}}`, `{"id":1,"error":{"code":-32600,"message":"Invalid request: limit`},
		"missing member":        {`{"id":1,"method":"thread/read"}`, "{\"id\":1,\"error\":{\"code\":-32600,\"message\":\"Invalid request: missing field `threadId`\"}}"},
		"wrong word":            {`{"id":1,"method":"thread/list","params":{"sortKey":"x"}}`, `{"id":1,"error":{"code":-32600,"message":"Invalid request: sortKey`},
		"experimental method":   {`{"id":1,"method":"collaborationMode/list"}`, `{"id":1,"error":{"code":-32600,"message":"collaborationMode/list requires experimentalApi capability"}}`},
		"experimental member":   {`{"id":1,"method":"thread/start","params":{"permissions":":workspace"}}`, `{"id":1,"error":{"code":-32600,"message":"thread/start.permissions requires experimentalApi capability"}}`},
		"of tier 3":             {`{"id":1,"method":"threadSection/list"}`, `{"id":1,"error":{"code":-32600,"message":"threadSection/list is not offered by parley"}}`},
		"text as id":            {`{"id":"a\u0000\"b","method":"no"}`, `{"id":"a\u0000\"b","error":`},
		"the longest line":      {`{"id":1,"method":"no","params":"` + strings.Repeat("x", lineLimit-len(`{"id":1,"method":"no","params":""}`)) + `"}`, `{"id":1,"error":`},
		"a line that is longer": {strings.Repeat("x", lineLimit+1), `{"id":null,"error":{"code":-32600,"message":"Invalid request: message too large"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			c := dialecttest.NewPlace(t, t.TempDir(), "").Dial(t, serveInProcess)
			c.Send(helloLine + "\n")
			if line, _ := c.Next(); !strings.HasPrefix(line, `{"id":"hello","result":`) {
				t.Fatalf("initialize: %s", line)
			}
			go c.Send(test.line + "\n" + probeLine + "\n") // the answer may come before the end of the line
			line, _ := c.Next()
			if test.want != "" {
				if !strings.HasPrefix(line, test.want) {
					t.Errorf("%.300s, want %s", line, test.want)
				}
				line, _ = c.Next()
			}
			if line != probed {
				t.Errorf("the next request: %.300s", line)
			}
			c.HangUp()
			if code := c.Over(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// TestRequestBeforeInitialize: nothing is served before the client has introduced itself, and unknown methods are not either.
func TestRequestBeforeInitialize(t *testing.T) {
	c := dialecttest.NewPlace(t, t.TempDir(), "").Dial(t, serveInProcess)
	for _, method := range []string{"thread/list", "no"} {
		c.Send(`{"id":1,"method":"` + method + `"}` + "\n")
		if line, _ := c.Next(); line != `{"id":1,"error":{"code":-32600,"message":"Not initialized"}}` {
			t.Errorf("%s: %s", method, line)
		}
	}
	c.HangUp()
	c.Over()
}

// TestDefect: a request that a defect ends has an answer, and the next one is served.
func TestDefect(t *testing.T) {
	out, stdout := io.Pipe()
	done := make(chan int, 1)
	go func() {
		in := strings.NewReader(helloLine + "\n" + `{"id":1,"method":"thread/read","params":{"threadId":"x"}}` + "\n" + `{"id":2,"method":"hooks/list"}` + "\n")
		done <- Serve(context.Background(), Config{In: in, Out: stdout, Log: slog.New(slog.DiscardHandler)}) // without a Host
		stdout.Close()
	}()
	text, err := io.ReadAll(out)
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) != 4 || lines[1] != `{"id":1,"error":{"code":-32603,"message":"internal error"}}` || !strings.HasPrefix(lines[2], `{"id":2,"result":`) {
		t.Errorf("%q, %v", lines, err)
	}
	<-done
}

// TestFullServer: a server that opens no more sessions has a code of its own.
func TestFullServer(t *testing.T) {
	if e := failure("", engine.ErrUnavailable); e.Message != "the store cannot be read" {
		t.Errorf("a store that does not answer: %v", e)
	}
	if e := failure("", engine.ErrTooManyOpen); e.Code != codeOverloaded || e.Message != "Server overloaded; retry later." {
		t.Errorf("%+v", e)
	}
}
