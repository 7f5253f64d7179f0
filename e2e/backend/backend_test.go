package backend

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/client"
	"parley.dev/parley/e2e/agent"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/transcript"
	"parley.dev/parley/record"
)

// testLimit is how long a test may take that starts agents written for Node.js: on a machine that was busy with other tests, the start
// of opencode alone took 90 s, and three processes of pi a minute.
const testLimit = 5 * time.Minute

// A bench is a place with a back end, and a client of the program in it.
type bench struct {
	*stage.Place
	t      *testing.T
	ctx    context.Context
	client *client.Client
	script string // path
}

// newBench configures the scripted agent, which plays paragraphs, with further settings of it.
func newBench(t *testing.T, script string, more map[string]any) *bench {
	t.Helper()
	p := stage.NewPlace(t)
	b := &bench{Place: p, t: t, script: filepath.Join(t.TempDir(), "script")}
	if err := os.WriteFile(b.script, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]any{"command": []string{program}, "env": map[string]string{agent.ScriptVariable: b.script}, "state": []string{filepath.Dir(b.script)}}
	for name, value := range more {
		settings[name] = value
	}
	config, err := json.Marshal(map[string]any{"backend": "acp:scripted", "backends": map[string]any{"acp:scripted": settings}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(p.Home, "config.jsonc")
	if err := os.WriteFile(path, config, 0o600); err != nil {
		t.Fatal(err)
	}
	p.Env = append(p.Env, "PARLEY_CONFIG="+path)
	transcript.Build(t) // not within the deadline
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	t.Cleanup(cancel)
	b.ctx = ctx
	return b
}

// connect starts parley rpc.
func (b *bench) connect() {
	b.t.Helper()
	cmd := b.Command(b.t, "rpc")
	c, err := client.Spawn(b.ctx, client.SpawnOptions{Options: client.Options{Name: "test"}, Program: cmd.Path, Dir: b.Work, Env: cmd.Env})
	if err != nil {
		b.t.Fatal(err)
	}
	b.client = c
	b.t.Cleanup(func() { c.Close() })
}

// create makes a session in a mode.
func (b *bench) create(mode string) *session {
	b.t.Helper()
	if b.client == nil {
		b.connect()
	}
	s, err := b.client.Create(b.ctx, client.NewSession{ID: "s-1", Workspace: b.Work, Settings: map[string]any{"mode": mode}})
	if err != nil {
		b.t.Fatal(err)
	}
	return &session{b: b, Session: s}
}

// A session is one of the program, with the records that the test has seen of it.
type session struct {
	*client.Session
	b    *bench
	seen uint64
}

// turn prompts, and returns the records of the turn, one a line. Watch is called with each event, and may answer it.
func (s *session) turn(text string, watch func(record.Event)) []string {
	s.b.t.Helper()
	if _, err := s.Prompt(s.b.ctx, client.Prompt{Text: text}); err != nil {
		s.b.t.Fatal(err)
	}
	return s.until(watch)
}

// until returns the records up to the end of the turn.
func (s *session) until(watch func(record.Event)) []string {
	s.b.t.Helper()
	var lines []string
	for rec, err := range s.Follow(s.b.ctx, client.FollowOptions{From: s.seen + 1}) {
		if err != nil {
			s.b.t.Fatalf("%v, after\n%s", err, strings.Join(lines, "\n"))
		}
		s.seen = rec.Seq
		event, err := rec.Event()
		if err != nil {
			s.b.t.Fatal(err)
		}
		if line := lineOf(event); line != "" {
			lines = append(lines, line)
		}
		if watch != nil {
			watch(event)
		}
		if _, over := event.(record.TurnEnded); over {
			return lines
		}
	}
	s.b.t.Fatal("the session ended")
	return nil
}

// lineOf returns what a test compares of a record; "": nothing.
func lineOf(e record.Event) string {
	switch e := e.(type) {
	case record.AssistantMessage:
		var parts []string
		for _, b := range e.Blocks {
			if b.Call != nil {
				parts = append(parts, "call "+b.Call.Name)
			} else {
				parts = append(parts, b.Kind+" "+b.Text)
			}
		}
		return "answer: " + strings.Join(parts, "; ")
	case record.ToolIntended:
		return fmt.Sprintf("intended: %s %s", e.Name, e.Input)
	case record.ToolStarted:
		return "started"
	case record.ToolEnded:
		return fmt.Sprintf("ended: %s %q", e.Outcome, e.Output)
	case record.ApprovalAsked:
		return fmt.Sprintf("asked: %s %s %q", e.Request.Tool, e.Request.Level, e.Request.Command)
	case record.ApprovalAnswered:
		return fmt.Sprintf("answered: %v by %s", e.Allowed, e.By)
	case record.Notice:
		return "notice: " + e.Code
	case record.TurnEnded:
		line := fmt.Sprintf("turn: %s, %d in, %d out", e.Reason, e.Usage.Input, e.Usage.Output)
		if e.Failure != nil {
			line += fmt.Sprintf(", %s %s", e.Failure.Kind, e.Failure.Code)
		}
		return line
	case record.BackendOpened:
		line := fmt.Sprintf("opened: %s %s, %s", e.Backend, e.Session, strings.TrimSpace(e.Program+" "+e.Version))
		if e.Resumed {
			line += ", resumed"
		}
		if e.Told > 0 {
			line += fmt.Sprintf(", %d messages as text", e.Told)
		}
		return line
	}
	return ""
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// received returns what the agent has got.
func (b *bench) received() string {
	b.t.Helper()
	data, err := os.ReadFile(b.script + ".log")
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

const opened = "opened: acp:scripted their-1, scripted 7"

// TestTurn: what an agent reports becomes records, with one end of the turn, and its usage is counted.
func TestTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t, `think Let me see.
say I run it.
call c1 execute {"command":"make test"}
ask c1
write c1 ok one
end c1 ok one, ok two
noise
say Done.
stop max_tokens

say Again.`, nil)
	s := b.create("danger-full-access")
	want(t, s.turn("Run the tests.", nil),
		opened, "answer: thinking Let me see.; text I run it.; call shell", `intended: shell {"command":"make test"}`, "started",
		`ended: succeeded "ok one, ok two"`, "answer: text Done.", "turn: max_tokens, 100 in, 20 out")
	want(t, s.turn("Go on.", nil), "answer: text Again.", "turn: completed, 100 in, 20 out")
	got := b.received()
	if n := strings.Count(got, `"method":"initialize"`); n != 1 {
		t.Errorf("%d processes were started", n)
	}
	for _, text := range []string{`"modeId":"default"`, `"text":"Run the tests."`, `"optionId":"yes"`} {
		if !strings.Contains(got, text) {
			t.Errorf("the agent has not got %s", text)
		}
	}
}

// TestApproval: what the agent asks for is decided by a client, and never for more than the one call.
func TestApproval(t *testing.T) {
	t.Parallel()
	b := newBench(t, `call c1 execute {"command":"make test"}
ask c1
write c1 ok
end c1 ok
call c2 edit {"path":"a.go"}
ask c2
write c2 never
end c2 rejected
say I see.`, nil)
	s := b.create("prompt")
	got := s.turn("Go.", func(e record.Event) {
		asked, ok := e.(record.ApprovalAsked)
		switch {
		case !ok:
		case asked.Request.Command != "":
			if err := s.ApproveAll(b.ctx, asked.ID); err != nil {
				t.Error(err)
			}
		default:
			if err := s.Deny(b.ctx, asked.ID, "not that file"); err != nil {
				t.Error(err)
			}
		}
	})
	want(t, got, opened, "answer: call shell", `intended: shell {"command":"make test"}`, `asked: shell execute "make test"`, "answered: true by client", "started",
		`ended: succeeded "ok"`, "answer: call c2", `intended: c2 {"path":"a.go"}`, `asked: c2 write ""`, "answered: false by client",
		`ended: denied "not that file"`, "answer: text I see.", "turn: completed, 100 in, 20 out")
	if log := b.received(); strings.Contains(log, "always") || !strings.Contains(log, `"optionId":"no"`) {
		t.Errorf("the agent got\n%s", log)
	}
}

// TestUnasked: an agent that runs something that it had to ask about is stopped.
func TestUnasked(t *testing.T) {
	t.Parallel()
	b := newBench(t, "call c1 execute {\"command\":\"make test\"}\nwrite c1 ok\nend c1 ok\nsay Done.", nil)
	s := b.create("prompt")
	want(t, s.turn("Go.", nil), opened, "answer: call shell", `intended: shell {"command":"make test"}`,
		`ended: interrupted "[the agent has not reported the end of this call]"`, "turn: failed, 0 in, 0 out, backend refused")
}

// TestNotRun: an agent may end a call that it refuses itself without a request for permission.
func TestNotRun(t *testing.T) {
	t.Parallel()
	b := newBench(t, "call c1 execute {\"command\":\"make test\"}\nfail c1 no such option\nsay I see.", nil)
	s := b.create("prompt")
	want(t, s.turn("Go.", nil), opened, "answer: call shell", `intended: shell {"command":"make test"}`, `ended: failed "no such option"`,
		"answer: text I see.", "turn: completed, 100 in, 20 out")
}

// TestInterrupt: an interrupt ends the turn while the agent works and while it waits for an approval; it goes on with the next prompt.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	b := newBench(t, "say Half\nhang\n\ncall c1 execute {\"command\":\"make\"}\nask c1\nend c1 x\n\nsay Whole.", nil)
	s := b.create("prompt")
	interrupt := func() {
		if _, err := s.Interrupt(b.ctx, ""); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Prompt(b.ctx, client.Prompt{Text: "One."}); err != nil {
		t.Fatal(err)
	}
	for rec, err := range s.Follow(b.ctx, client.FollowOptions{Transient: []string{record.KindTextDelta}}) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Kind == record.KindTextDelta {
			break
		}
	}
	interrupt()
	want(t, s.until(nil), opened, "answer: text Half", "turn: interrupted, 100 in, 20 out")
	got := s.turn("Two.", func(e record.Event) {
		if _, ok := e.(record.ApprovalAsked); ok {
			interrupt()
		}
	})
	want(t, got, "answer: call shell", `intended: shell {"command":"make"}`, `asked: shell execute "make"`, "answered: false by interrupt",
		`ended: interrupted "interrupted before it ran"`, "answer: ", "turn: interrupted, 100 in, 20 out")
	want(t, s.turn("Three.", nil), "answer: text Whole.", "turn: completed, 100 in, 20 out")
	if n := strings.Count(b.received(), `"method":"initialize"`); n != 1 {
		t.Errorf("%d processes were started", n)
	}
}

// TestGone: the turn of an agent that dies fails with what it wrote, without secrets; the next prompt resumes its session.
func TestGone(t *testing.T) {
	t.Parallel()
	b := newBench(t, "say Half\nexit", map[string]any{"pass_env": []string{"CHEESE_KEY"}})
	b.Env = append(b.Env, "CHEESE_KEY="+stage.Key)
	s := b.create("prompt")
	var failure *record.Failure
	got := s.turn("One.", func(e record.Event) {
		if end, ok := e.(record.TurnEnded); ok {
			failure = end.Failure
		}
	})
	want(t, got, opened, "answer: text Half", "turn: failed, 0 in, 0 out, backend gone")
	if m := failure.Message; !strings.Contains(m, "code 3") || !strings.Contains(m, "out of cheese with ***") || strings.Contains(m, stage.Key) {
		t.Errorf("the failure is %q", m)
	}
	want(t, s.turn("Two.", nil), opened+", resumed", "answer: text Half", "turn: failed, 0 in, 0 out, backend gone")
	if !strings.Contains(b.received(), `"method":"session/load"`) {
		t.Error("its session was not resumed")
	}
}

// TestForgotten: an agent that has lost its session receives the conversation as text.
func TestForgotten(t *testing.T) {
	t.Parallel()
	b := newBench(t, "say Half\nexit", nil)
	s := b.create("prompt")
	s.turn("One.", nil)
	if err := os.WriteFile(b.script+".log.forgotten", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, s.turn("Two.", nil)[:2], "notice: backend_retold", opened+", 2 messages as text")
	if got := b.received(); !strings.Contains(got, `\u003cearlier-conversation`) && !strings.Contains(got, "<earlier-conversation>") || !strings.Contains(got, "Half") {
		t.Errorf("the agent got\n%s", got)
	}
}

// TestNoProgram: an agent that is not there is a failure of the turn, and the session goes on.
func TestNoProgram(t *testing.T) {
	t.Parallel()
	b := newBench(t, "", map[string]any{"command": []string{"no-such-agent-here"}})
	s := b.create("prompt")
	for range 2 {
		want(t, s.turn("Go.", nil), "turn: failed, 0 in, 0 out, backend start")
	}
}

// killed has a process of the program work on prompts, kills it when the answer to the last one has begun, with the text Half, checks that
// nothing of an agent is left, and returns the session as another process opens it.
func (b *bench) killed(prompts ...string) *session {
	b.t.Helper()
	mark := stage.NewMark(b.Place)
	p := stage.Launch(b.t, b.Command(b.t, "rpc"))
	c := newRawClient(b.t, p)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"raw"}}}`)
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/create","params":{"id":"s-1","workspace":%q}}`, b.Work))
	c.send(`{"jsonrpc":"2.0","id":3,"method":"session/follow","params":{"session":"s-1","from":1,"transient":["text_delta"]}}`)
	for i, text := range prompts {
		if i > 0 {
			c.until(`"turn_ended"`)
		}
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"turn/prompt","params":{"session":"s-1","id":"p-%d","blocks":[{"kind":"text","text":%q}]}}`, 4+i, 1+i, text))
	}
	c.until("Half")
	p.Kill()
	mark.WantEnded(b.t, nil)
	b.connect()
	again, err := b.client.Open(b.ctx, "s-1")
	if err != nil {
		b.t.Fatal(err)
	}
	return &session{b: b, Session: again}
}

// TestKilled: nothing of an agent is left when the program is killed, and another process resumes its session.
func TestKilled(t *testing.T) {
	t.Parallel()
	b := newBench(t, "say Half\nhang", nil)
	next := b.killed("Go.")
	if got := next.until(nil); got[len(got)-1] != "turn: interrupted, 0 in, 0 out" {
		t.Errorf("the cut turn: %q", got)
	}
	if _, err := next.Prompt(b.ctx, client.Prompt{Text: "Go on."}); err != nil {
		t.Fatal(err)
	}
	for rec, err := range next.Follow(b.ctx, client.FollowOptions{From: next.seen + 1}) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Kind == record.KindBackendOpened {
			if !strings.Contains(string(rec.Data), `"resumed":true`) {
				t.Errorf("opened as %s", rec.Data)
			}
			break
		}
	}
	if _, err := next.Interrupt(b.ctx, ""); err != nil { // closing the client waits for the turn
		t.Fatal(err)
	}
}

// A rawClient speaks a protocol in lines.
type rawClient struct {
	t       *testing.T
	process *stage.Process
	lines   *bufio.Scanner
}

func newRawClient(t *testing.T, p *stage.Process) *rawClient {
	lines := bufio.NewScanner(p.Stdout)
	lines.Buffer(nil, 1<<20)
	return &rawClient{t, p, lines}
}

func (c *rawClient) send(line string) {
	c.t.Helper()
	if _, err := c.process.Stdin.WriteString(line + "\n"); err != nil {
		c.t.Fatal(err)
	}
}

// until reads up to a line with a text, and returns it.
func (c *rawClient) until(text string) string {
	c.t.Helper()
	if err := c.process.Stdout.SetReadDeadline(time.Now().Add(stage.Patience)); err != nil {
		c.t.Fatal(err)
	}
	for c.lines.Scan() {
		if strings.Contains(c.lines.Text(), text) {
			return c.lines.Text()
		}
	}
	c.t.Fatalf("no line has %q; standard error: %s", text, c.process.Stderr)
	return ""
}
