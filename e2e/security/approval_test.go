package security

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
)

// TestApprovalShowsTheUnseen: where a user is asked about a command whose characters would not be
// seen as what they are, the question says so, in every dialect that asks.
func TestApprovalShowsTheUnseen(t *testing.T) {
	t.Parallel()
	const command = "rm -rf src \u202e# dliub fr- mr"
	const want = `it holds characters that cannot be seen: U+202E`
	text, err := json.Marshal(map[string]string{"command": command, "cmd": command})
	if err != nil {
		t.Fatal(err)
	}
	for name, play := range map[string]func(t *testing.T, p *stage.Place) string{
		"scaiflux": func(t *testing.T, p *stage.Place) string {
			s := client.StartScaiFlux(t, p)
			s.Prompt("go")
			return s.Until("permission_request").Last().Raw
		},
		"flint": func(t *testing.T, p *stage.Place) string {
			f := client.StartFlint(t, p)
			f.Begin(f.StartThread(`{"approvalPolicy":"always"}`))
			return f.UntilMethod("item/commandExecution/requestApproval").Raw
		},
		"codex": func(t *testing.T, p *stage.Place) string {
			c := client.StartCodex(t, p)
			c.Begin(c.StartThread(`{"approvalPolicy":"untrusted"}`))
			return c.UntilMethod("item/commandExecution/requestApproval").Raw
		},
		"agentair": func(t *testing.T, p *stage.Place) string {
			a := client.StartAgentAir(t, p)
			a.Say(1, "go")
			all := a.Until("PermissionRequired")
			return all[len(all)-1].Raw
		},
		"acp": func(t *testing.T, p *stage.Place) string {
			a := client.StartACP(t, p)
			a.Begin(a.NewSession(p.Work), "go")
			all := a.ReadTo("a request", func(l client.ACPLine) bool { return l.Method == "session/request_permission" })
			return all[len(all)-1].Raw
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			tool := map[string]string{"scaiflux": "bash", "flint": "shell", "codex": "exec_command", "agentair": "bash", "acp": "shell"}[name]
			p.Plays(t, "call "+tool+" "+string(text)+"\nnext\ntext Done.\n")
			if asked := play(t, p.Place); !strings.Contains(asked, want) {
				t.Errorf("it asks %s", asked)
			}
		})
	}
}

// TestApprovedPathIsSwapped: while a user thinks about a file, a folder on the way to it becomes a
// link to somewhere else; what was approved is not done there.
func TestApprovedPathIsSwapped(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]string{
		"write": `call write_file {"path":"dir/file","content":"overwritten"}`,
		"edit":  `call edit_file {"path":"dir/file","old_string":"public","new_string":"overwritten"}`,
		"read":  `call read_file {"path":"dir/file"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.write("work/dir/file", "public\n", 0o600)
			p.write("outside/file", "secret public\n", 0o600)
			p.Plays(p.t, call+"\nnext\ntext Done.\n")
			s := client.StartScaiFlux(t, p.Place, "--permission-mode", "prompt")
			s.Prompt("go")
			asked := s.Until("permission_request").Last()
			dir := filepath.Join(p.Work, "dir")
			if err := errors.Join(os.Rename(dir, dir+".old"), os.Symlink(filepath.Join(p.Root, "outside"), dir)); err != nil {
				t.Fatal(err)
			}
			s.Answer(asked, "allow")
			if result := s.Until("tool_result").Last(); !result.IsError || strings.Contains(result.Raw, "secret") {
				t.Errorf("it says %s", result.Raw)
			}
			if text, err := os.ReadFile(filepath.Join(p.Root, "outside/file")); err != nil || string(text) != "secret public\n" {
				t.Errorf("the file outside became %q, %v", text, err)
			}
			s.Until("turn_complete")
		})
	}
}

// TestCredentialsAreOutside: a controller that allows by the mode that a call needs does not give
// the original's key away where the home folder is the workspace, nor what it keeps in a project.
func TestCredentialsAreOutside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.Work = p.Home
	p.write("home/.scaiflux/credentials.json", `{"api_key":"sgk_live_x"}`, 0o600)
	calls := []string{
		`read_file {"path":".scaiflux/credentials.json"}`, `read_file {"path":"project/.scaiflux/sessions/x"}`, `write_file {"path":".scaiflux/new","content":"x"}`,
	}
	p.Plays(p.t, "call "+strings.Join(calls, "\nnext\ncall ")+"\nnext\ntext Done.\n")
	s := client.StartScaiFlux(t, p.Place, "--permission-mode", "workspace-write")
	s.Prompt("go")
	for i, needed := range []string{"danger-full-access", "read-only", "danger-full-access"} { // that of the project in the home folder is its own
		asked := s.Until("permission_request").Last()
		if !strings.Contains(asked.Raw, `"required_mode":"`+needed+`"`) {
			t.Errorf("%s does not need %s: %s", calls[i], needed, asked.Raw)
		}
		s.Answer(asked, "deny")
	}
	p.write("work/.scaiflux/sessions/x", "x", 0o600)
	p.Work = filepath.Join(p.Root, "work")
	s = client.StartScaiFlux(t, p.Place)
	s.Prompt("go")
	if asked := s.Until("permission_request").Last().Raw; !strings.Contains(asked, `"required_mode":"danger-full-access"`) {
		t.Errorf("in a project: %s", asked)
	}
}
