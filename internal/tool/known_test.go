package tool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/tool/workspacetest"
)

// A write replaces only what the model knows of the file.
func TestWriteKnown(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: f\n%s@@\n-user\n+patched\n*** End Patch"
	read, write := []any{Read(), in{}}, []any{Write(), in{"content": "model\n"}}
	user := []any{nil, in{"content": "user\n"}}
	edit := []any{Edit(), in{"old": "user", "new": "edited"}}
	tests := []struct {
		name  string
		file  string // "-": there is none
		calls [][]any
		want  string // part of the result of the last call
	}{
		{"new file", "-", [][]any{write}, "created f"},
		{"empty file", "", [][]any{write}, "updated f"},
		{"never read", "a\n", [][]any{write}, "cannot write f: you have not read this file in this session; read it first"},
		{"read", "a\n", [][]any{read, write}, "updated f"},
		{"part read", "a\nb\n", [][]any{{Read(), in{"limit": 1}}, write}, "updated f"},
		{"read as binary", "\x00\x01", [][]any{read, write}, "updated f"},
		{"changed since", "a\n", [][]any{read, user, write}, "cannot write f: it has changed since you read it; read it again"},
		{"read again", "a\n", [][]any{read, user, read, write}, "updated f"},
		{"written before", "-", [][]any{write, {Write(), in{"content": "x"}}}, "updated f"},
		{"written, then changed", "-", [][]any{write, user, {Write(), in{"content": "x"}}}, "has changed since"},
		{"same content", "model\n", [][]any{write, {Write(), in{"content": "x"}}}, "updated f"},
		{"deleted since", "a\n", [][]any{read, {nil, in{}}, write}, "created f"},
		{"edit of a changed file", "a\n", [][]any{read, user, edit}, "edited f"},
		{"edit does not make known", "a\n", [][]any{read, user, edit, write}, "has changed since"},
		{"edit keeps known", "user\n", [][]any{read, edit, write}, "updated f"},
		{"patch keeps known", "user\n", [][]any{read, {Patch(), in{"input": strings.ReplaceAll(patch, "%s", "")}}, write}, "updated f"},
		{"patch does not make known", "a\n", [][]any{read, user, {Patch(), in{"input": strings.ReplaceAll(patch, "%s", "")}}, write}, "has changed since"},
		{"moved here unknown", "-", [][]any{
			{Write(), in{"path": "g", "content": ""}},
			{nil, in{"path": "g", "content": "user\n"}},
			{Patch(), in{"input": strings.ReplaceAll(strings.Replace(patch, "%s", "*** Move to: f\n", 1), "File: f", "File: g")}},
			write,
		}, "you have not read"},
	}
	for _, test := range tests {
		files := map[string]string{"f": test.file}
		if test.file == "-" {
			files = nil
		}
		w := workspacetest.New(t, files)
		env := &Env{Workspace: w, Known: &KnownFiles{}}
		var got Result
		for _, step := range test.calls {
			input := in{"path": "f"}
			for name, value := range step[1].(in) {
				input[name] = value
			}
			tool, ok := step[0].(Tool)
			if !ok { // the user changes the file
				path := filepath.Join(w.Dir(), input["path"].(string))
				content, keep := input["content"].(string)
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				if keep {
					workspacetest.Lay(t, w.Dir(), map[string]string{input["path"].(string): content})
				}
				continue
			}
			if tool == Patch() {
				delete(input, "path")
			}
			raw, err := json.Marshal(input)
			if err != nil {
				t.Fatal(err)
			}
			call, err := tool.Prepare(env, raw)
			if err != nil {
				t.Fatal(err)
			}
			got = call.Run(t.Context(), Hooks{})
		}
		if !strings.Contains(got.Text, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got.Text, test.want)
		}
	}
}
