package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/model/modeltest"
	"parley.dev/parley/internal/transcript"
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
	"flint": {[]string{"flint"}, []string{
		`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"e2e","version":"1"}}}`, `await "id":1`,
		`{"id":2,"method":"thread/start","params":{}}`, `await "thread":{"id":"`,
		`{"id":3,"method":"turn/start","params":{"threadId":"$THREAD","input":[{"type":"text","text":"$PROMPT"}]}}`,
	}},
}

// TestSkillsInEveryDialect: the model gets the names and descriptions of the skills, and the
// whole text of the one that the prompt names.
func TestSkillsInEveryDialect(t *testing.T) {
	for name, start := range skillStarts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("done")))
			p := b.place(t)
			for _, skill := range []string{"kneading", "baking"} {
				if err := os.MkdirAll(filepath.Join(p.work, ".agents", "skills", skill), 0o700); err != nil {
					t.Fatal(err)
				}
				p.write(t, ".agents/skills/"+skill+"/SKILL.md", "---\ndescription: For "+skill+" bread.\n---\nSecret of "+skill+".\n")
			}
			fill := strings.NewReplacer("$PROMPT", "now $Kneading, for $5")
			args := make([]string, len(start.args))
			for i, arg := range start.args {
				args[i] = fill.Replace(arg)
			}
			cmd := exec.Command(transcript.Build(t), args...)
			cmd.Dir = p.work
			cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "PARLEY_HOME=" + p.state(), "LANG=C.UTF-8", "PARLEY_MODEL=" + p.model}, p.env...)
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			out := bufio.NewScanner(stdout)
			thread := ""
			for _, line := range start.lines {
				mark, await := strings.CutPrefix(line, "await ")
				if !await {
					fmt.Fprintln(stdin, strings.ReplaceAll(fill.Replace(line), "$THREAD", thread))
					continue
				}
				for out.Scan() {
					if _, after, found := strings.Cut(out.Text(), mark); found {
						thread, _, _ = strings.Cut(after, `"`)
						break
					}
				}
			}
			stdin.Close()
			_, _ = io.Copy(io.Discard, stdout)
			if err := cmd.Wait(); err != nil {
				t.Error(err)
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
