package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/internal/model/modeltest"
)

// skillStarts is how a program is started and given one prompt, up to the end of its input.
// $PROMPT and $THREAD are replaced; a line after one with "await" is sent once a line with
// that text has come.
var skillStarts = map[string]struct {
	args  []string
	lines []string
}{
	"run":      {[]string{"run", "$PROMPT"}, nil},
	"scaiflux": {[]string{"scaiflux", "serve"}, []string{`{"type":"prompt","text":"$PROMPT"}`}},
	"agentair": {[]string{"agentair"}, []string{`{"session_id":1,"content":"$PROMPT","turn_id":{"role":"User","sequence":1}}`}},
	"pisces":   {[]string{"pisces", "--mode", "rpc"}, []string{`{"id":"1","type":"prompt","message":"$PROMPT"}`, "await agent_end"}},
	"loaf": {[]string{"loaf", "rpc"}, []string{
		`{"jsonrpc":"2.0","id":1,"method":"session.create","params":{}}`, `await "session_id":"`,
		`{"jsonrpc":"2.0","id":2,"method":"session.send","params":{"session_id":"$THREAD","text":"$PROMPT"}}`, "await ready",
	}},
	"acp": {[]string{"acp"}, []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`, `await "id":1`,
		`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"$WORK","mcpServers":[]}}`, `await "sessionId":"`,
		`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"$THREAD","prompt":[{"type":"text","text":"$PROMPT"}]}}`, "await stopReason",
	}},
	"codex": {[]string{"codex", "app-server"}, []string{
		`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"e2e","version":"1"}}}`, `await "id":1`,
		`{"id":2,"method":"thread/start","params":{}}`, `await "thread":{"id":"`,
		`{"id":3,"method":"turn/start","params":{"threadId":"$THREAD","input":[{"type":"text","text":"$PROMPT"}]}}`, "await turn/completed",
	}},
	"flint": {[]string{"flint"}, []string{
		`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"e2e","version":"1"}}}`, `await "id":1`,
		`{"id":2,"method":"thread/start","params":{}}`, `await "thread":{"id":"`,
		`{"id":3,"method":"turn/start","params":{"threadId":"$THREAD","input":[{"type":"text","text":"$PROMPT"}]}}`,
	}},
}

// TestSkillsInEveryDialect: the model gets the names and descriptions of the skills, and the
// whole text of the one that the prompt names.
func TestSkillsInEveryDialect(t *testing.T) {
	t.Parallel()
	for name, start := range skillStarts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("done")))
			p := b.place(t)
			for _, skill := range []string{"kneading", "baking"} {
				if err := os.MkdirAll(filepath.Join(p.Work, ".agents", "skills", skill), 0o700); err != nil {
					t.Fatal(err)
				}
				p.Write(t, ".agents/skills/"+skill+"/SKILL.md", "---\ndescription: For "+skill+" bread.\n---\nSecret of "+skill+".\n")
			}
			fill := strings.NewReplacer("$PROMPT", "now $Kneading, for $5", "$WORK", p.Work)
			args := make([]string, len(start.args))
			for i, arg := range start.args {
				args[i] = fill.Replace(arg)
			}
			c := client.Start(t, p.Command(t, args...))
			thread := ""
			for _, line := range start.lines {
				mark, await := strings.CutPrefix(line, "await ")
				if !await {
					c.SendText(strings.ReplaceAll(fill.Replace(line), "$THREAD", thread) + "\n")
					continue
				}
				_, after, _ := strings.Cut(c.Match(regexp.QuoteMeta(mark)), mark)
				thread, _, _ = strings.Cut(after, `"`)
			}
			c.Stdin.Close()
			c.Drain()
			if code := c.Code(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			requests := b.Requests()
			if len(requests) == 0 {
				t.Fatal("the model was not asked")
			}
			for text, want := range map[string]bool{"For kneading bread.": true, "For baking bread.": true, "Secret of kneading.": true, "Secret of baking.": false} {
				if got := strings.Contains(requests[0].Raw, text); got != want {
					t.Errorf("the first request has %q: %t", text, got)
				}
			}
		})
	}
}
