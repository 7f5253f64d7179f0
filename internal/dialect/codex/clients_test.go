package codex

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/codex/codextest"
	"parley.dev/parley/internal/dialect/dialecttest"
)

// A peer is one of several clients of a process.
type peer struct {
	*dialecttest.Client
	t       *testing.T
	checker *codextest.Checker
	id      string // of the pending approval, as this client has it
}

// peers returns a function that connects another client to the same process, and initializes it.
func peers(t *testing.T, script string) (connect func(name string) *peer, work string) {
	place := dialecttest.NewPlace(t, t.TempDir(), script)
	p, err := dialecttest.Open(place.Env, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	config := configOf(p)
	config.Leaves = true
	t.Cleanup(func() {
		if err := config.Host.Close(context.Background()); err != nil {
			t.Error(err)
		}
		p.Close()
	})
	serve := func(ctx context.Context, _ []string, stdin io.Reader, stdout, _ io.Writer, _ []string) int {
		return Serve(context.WithoutCancel(ctx), withStreams(config, stdin, stdout, ctx.Done()))
	}
	return func(name string) *peer {
		c := &peer{Client: place.Dial(t, serve), t: t, checker: codextest.NewChecker()}
		c.request(`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"` + name + `","version":"1"}}}`)
		return c
	}, place.Work
}

// request sends a request and returns the answer.
func (c *peer) request(line string) string {
	c.t.Helper()
	c.send(line)
	answer := c.await(`{"id":`)
	if strings.Contains(answer, `,"error":{"code"`) {
		c.t.Fatal(answer)
	}
	return answer
}

func (c *peer) send(line string) {
	c.checker.Sent([]byte(line))
	c.Send(line + "\n")
}

// await returns the next line that begins so; a line with the method of an approval is one that was not awaited.
func (c *peer) await(prefix string) string {
	c.t.Helper()
	for {
		line, ok := c.Next()
		if !ok {
			c.t.Fatalf("the end came before %s", prefix)
		}
		c.checker.Received([]byte(line))
		if strings.HasPrefix(line, prefix) {
			return line
		}
		if strings.Contains(line, `requestApproval`) || strings.Contains(line, "serverRequest/resolved") {
			c.t.Fatalf("before %s: %s", prefix, line)
		}
	}
}

func (c *peer) awaitMethod(method string) string {
	c.t.Helper()
	return c.await(`{"method":"` + method + `"`)
}

// awaitApproval waits for the request about a command.
func (c *peer) awaitApproval(command string) {
	c.t.Helper()
	line := c.await(`{"id":`)
	var f struct {
		ID     jsontext.Value `json:"id"`
		Method string         `json:"method"`
		Params struct {
			Command string `json:"command"`
		} `json:"params"`
	}
	if err := json.Unmarshal([]byte(line), &f); err != nil || f.Method != "item/commandExecution/requestApproval" || f.Params.Command != command {
		c.t.Fatalf("want an approval of %s: %s", command, line)
	}
	c.id = string(f.ID)
}

// answer answers the approval that was awaited last.
func (c *peer) answer(decision string) {
	c.send(`{"id":` + c.id + `,"result":{"decision":"` + decision + `"}}`)
}

// awaitEnd waits for the withdrawal of the request, and for the end of the turn, whose command has that status.
func (c *peer) awaitEnd(status string) {
	c.t.Helper()
	if line := c.awaitMethod("serverRequest/resolved"); !strings.Contains(line, `"requestId":`+c.id+`,`) {
		c.t.Errorf("another request was withdrawn: %s", line)
	}
	line := c.awaitMethod("turn/completed")
	if !strings.Contains(line, `"status":"`+status+`","type"`) && !strings.Contains(line, `"source":"agent","status":"`+status+`"`) {
		c.t.Errorf("want a command that is %s: %s", status, line)
	}
}

// end ends the connection, and reports what of its lines breaks the schema.
func (c *peer) end() {
	c.t.Helper()
	c.HangUp()
	c.Over()
	for _, problem := range c.checker.Problems {
		c.t.Error(problem)
	}
}

const turnOfThread = `{"id":3,"method":"turn/start","params":{"threadId":"THREAD","input":[{"type":"text","text":"go"}]}}`

// TestTwoClients: both clients of a thread get the request, each with an id of its own; the first answer counts, and both requests are withdrawn. A
// client that leaves does not take the approval with it, and one that comes later gets the request, too.
func TestTwoClients(t *testing.T) {
	connect, work := peers(t, "call exec_command {\"cmd\":\"mkdir one\"}\ntext Done.\nnext\n"+
		"call exec_command {\"cmd\":\"mkdir two\"}\ntext Done.\nnext\ncall exec_command {\"cmd\":\"mkdir three\"}\ntext Done.\n")
	a, b := connect("a"), connect("b")
	var started struct {
		Result struct {
			Thread struct {
				ID string `json:"id"`
			} `json:"thread"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(a.request(`{"id":2,"method":"thread/start","params":{"cwd":"`+work+`","approvalPolicy":"untrusted"}}`)), &started); err != nil {
		t.Fatal(err)
	}
	of := func(line string) string { return strings.ReplaceAll(line, "THREAD", started.Result.Thread.ID) }
	resume := of(`{"id":2,"method":"thread/resume","params":{"threadId":"THREAD"}}`)
	b.request(resume)

	a.request(of(turnOfThread))
	a.awaitApproval("mkdir one")
	b.awaitApproval("mkdir one")
	b.answer("accept")
	b.awaitEnd("completed")
	a.answer("decline") // too late
	a.awaitEnd("completed")

	b.request(of(turnOfThread))
	b.awaitApproval("mkdir two")
	a.awaitApproval("mkdir two")
	a.end() // without an answer
	b.answer("decline")
	b.awaitEnd("declined")

	b.request(of(turnOfThread))
	b.awaitApproval("mkdir three")
	b.end()
	c := connect("c")
	c.request(resume)
	c.awaitApproval("mkdir three")
	c.answer("accept")
	c.awaitEnd("completed")
	c.HangUp() // it has not seen the beginning of the turn, which the checker wants
	c.Over()
}
