package security

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestApprovalShowsTheUnseen: where a user is asked about a command whose characters would not be
// seen as what they are, the question says so, in every dialect that asks.
func TestApprovalShowsTheUnseen(t *testing.T) {
	const command = "rm -rf src \u202e# dliub fr- mr"
	const want = `it holds characters that cannot be seen: U+202E`
	text, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	for name, play := range map[string]func(d *dialogue) string{
		"scaiflux serve": func(d *dialogue) string {
			d.send(`{"type":"prompt","text":"go"}`)
			return d.until(`"permission_request"`)
		},
		"flint": func(d *dialogue) string {
			d.send(`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"e2e","version":"1"}}}`)
			d.until(`"id":1`)
			d.send(`{"id":2,"method":"thread/start","params":{"approvalPolicy":"always"}}`)
			thread := between(d.until(`"id":2`), `"thread":{"id":"`, `"`)
			d.send(fmt.Sprintf(`{"id":3,"method":"turn/start","params":{"threadId":%q,"input":[{"type":"text","text":"go"}]}}`, thread))
			return d.until(`requestApproval`)
		},
		"agentair": func(d *dialogue) string {
			d.send(`{"session_id":1,"content":"go","turn_id":{"role":"User","sequence":1}}`)
			return d.until(`PermissionRe?quired|"target_type"`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			tool := map[string]string{"scaiflux serve": "bash", "flint": "shell", "agentair": "bash"}[name]
			p.plays("call " + tool + " " + string(text) + "\nnext\ntext Done.\n")
			if asked := play(p.talk(strings.Fields(name)...)); !strings.Contains(asked, want) {
				t.Errorf("it asks %s", asked)
			}
		})
	}
}

func between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, after)
	return text
}

// TestApprovedPathIsSwapped: while a user thinks about a file, a folder on the way to it becomes a
// link to somewhere else; what was approved is not done there.
func TestApprovedPathIsSwapped(t *testing.T) {
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
			p.plays(call + "\nnext\ntext Done.\n")
			d := p.talk("scaiflux", "serve", "--permission-mode", "prompt")
			d.send(`{"type":"prompt","text":"go"}`)
			asked := d.until(`"permission_request"`)
			dir := filepath.Join(p.work, "dir")
			if err := errors.Join(os.Rename(dir, dir+".old"), os.Symlink(filepath.Join(p.root, "outside"), dir)); err != nil {
				t.Fatal(err)
			}
			d.send(fmt.Sprintf(`{"type":"permission_response","request_id":%q,"decision":"allow"}`, between(asked, `"request_id":"`, `"`)))
			result := d.until(`"tool_result"`)
			if !strings.Contains(result, `"is_error":true`) || strings.Contains(result, "secret") {
				t.Errorf("it says %s", result)
			}
			if text, err := os.ReadFile(filepath.Join(p.root, "outside/file")); err != nil || string(text) != "secret public\n" {
				t.Errorf("the file outside became %q, %v", text, err)
			}
			d.until(`"turn_complete"`)
		})
	}
}

// TestCredentialsAreOutside: a controller that allows by the mode that a call needs does not give
// the original's key away where the home folder is the workspace, nor what it keeps in a project.
func TestCredentialsAreOutside(t *testing.T) {
	p := newPlace(t)
	p.work = p.home
	p.write("home/.scaiflux/credentials.json", `{"api_key":"sgk_live_x"}`, 0o600)
	calls := []string{
		`read_file {"path":".scaiflux/credentials.json"}`, `read_file {"path":"project/.scaiflux/sessions/x"}`, `write_file {"path":".scaiflux/new","content":"x"}`,
	}
	p.plays("call " + strings.Join(calls, "\nnext\ncall ") + "\nnext\ntext Done.\n")
	d := p.talk("scaiflux", "serve", "--permission-mode", "workspace-write")
	d.send(`{"type":"prompt","text":"go"}`)
	for i, needed := range []string{"danger-full-access", "read-only", "danger-full-access"} { // that of the project in the home folder is its own
		asked := d.until(`"permission_request"`)
		if got := between(asked, `"required_mode":"`, `"`); got != needed {
			t.Errorf("%s needs %s, want %s", calls[i], got, needed)
		}
		d.send(`{"type":"permission_response","request_id":"` + between(asked, `"request_id":"`, `"`) + `","decision":"deny"}`)
	}
	p.write("work/.scaiflux/sessions/x", "x", 0o600)
	p.work = filepath.Join(p.root, "work")
	d = p.talk("scaiflux", "serve")
	d.send(`{"type":"prompt","text":"go"}`)
	if asked := d.until(`"permission_request"`); !strings.Contains(asked, `"required_mode":"danger-full-access"`) {
		t.Errorf("in a project: %s", asked)
	}
}
