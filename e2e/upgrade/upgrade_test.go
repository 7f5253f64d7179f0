package upgrade

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// workspace is that of the sessions in the state folders: it is everywhere. Journals have hashes, and cannot
// be rewritten for a folder of the test.
const workspace = "/var/tmp"

// A stored is a session of a state folder.
type stored struct {
	title string
	turns int
	said  []string // what a model is sent when the session goes on
	lost  string   // what a model is not sent, because it was compacted
}

// sessionsOf010 are in testdata/state-0.1.0.tar.gz; testdata/make_state.py.
var sessionsOf010 = []stored{
	{title: "A prompt of ScaiFlux", turns: 1, said: []string{"scaiflux-tool", "The first answer of ScaiFlux."}},
	{title: "A prompt of Flint", turns: 1, said: []string{"The first answer of Flint."}},
	{title: "A prompt of loaf", turns: 1, said: []string{"The first answer of loaf."}},
	{title: "A prompt of agent-air", turns: 1, said: []string{"The first answer of agent-air."}},
	{title: "A prompt of Pisces", turns: 1, said: []string{"The first answer of Pisces."}},
	{title: "A prompt that is compacted", turns: 3, said: []string{"The summary of 0.1.0.", "a third one", "Three."}, lost: "Two."},
	{title: "A prompt that is killed", turns: 1, said: []string{"A prompt that is killed", "before-kill"}},
}

// A summary is a session as sessions list prints it.
type summary struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Turns int    `json:"turns"`
}

// TestUpgrade lists, shows and continues each session of 0.1.0, with its index and without it.
func TestUpgrade(t *testing.T) {
	for _, indexed := range []bool{true, false} {
		t.Run(fmt.Sprintf("index=%v", indexed), func(t *testing.T) {
			t.Parallel()
			p := old(t)
			if !indexed {
				for _, name := range []string{"index.db", "recent.jsonl"} {
					if err := os.Remove(filepath.Join(p.State(), name)); err != nil {
						t.Fatal(err)
					}
				}
			}
			all := list(t, p)
			for _, s := range sessionsOf010 {
				found, ok := all[s.title]
				if !ok || found.Turns != s.turns {
					t.Errorf("%q is listed as %+v, want %d turns", s.title, found, s.turns)
					continue
				}
				if text := run(t, p, "", "sessions", "show", found.ID); !strings.Contains(text, s.said[0]) {
					t.Errorf("%q is shown without %q:\n%s", s.title, s.said[0], text)
				}
				goOn(t, p, found.ID, s)
			}
			if len(all) != len(sessionsOf010) {
				t.Errorf("there are %d sessions, want %d", len(all), len(sessionsOf010))
			}
			for title, s := range list(t, p) {
				if want := all[title].Turns + 1; s.Turns != want {
					t.Errorf("%q has %d turns after one more, want %d", title, s.Turns, want)
				}
			}
		})
	}
}

// goOn gives a session another turn, and checks what the model is sent of the earlier ones.
func goOn(t *testing.T, p *stage.Place, id string, s stored) {
	t.Helper()
	server := modeltest.NewServer(t, modeltest.Stream(modeltest.Text("It goes on.")))
	front := stage.NewBackend(t, modeltest.OpenAIChat, func([]byte) http.Handler { return server })
	with := *p
	var env []string
	with.Model, env = front.Settings()
	with.Env = append(append([]string(nil), p.Env...), env...)
	if answer := run(t, &with, "", "run", "--resume", id, "--model", with.Model, "go on"); answer != "It goes on.\n" {
		t.Errorf("%q: the answer is %q", s.title, answer)
	}
	conversation := stage.Conversation(server.Requests()[0])
	stage.CheckPaired(t, conversation)
	sent := fmt.Sprint(conversation)
	rest := sent
	for _, want := range append(append([]string{}, s.said...), "go on") {
		var ok bool
		if _, rest, ok = strings.Cut(rest, want); !ok {
			t.Errorf("%q: %q is missing, or out of order, in\n%s", s.title, want, sent)
		}
	}
	if s.lost != "" && strings.Contains(sent, s.lost) {
		t.Errorf("%q: the model is sent %q, which was compacted:\n%s", s.title, s.lost, sent)
	}
}

// TestUpgradeProtocols opens a session in its own protocol again, and reads settings, keys and grants.
func TestUpgradeProtocols(t *testing.T) {
	p := old(t)
	all := list(t, p)
	for _, c := range []struct {
		name  string
		args  []string
		lines []string
		want  []string
	}{
		{
			name: "flint", args: []string{"flint"},
			lines: []string{
				`{"id":0,"method":"initialize","params":{"clientInfo":{"name":"upgrade","version":"1"}}}`,
				fmt.Sprintf(`{"id":1,"method":"thread/resume","params":{"threadId":%q}}`, all["A prompt of Flint"].ID),
				fmt.Sprintf(`{"id":2,"method":"thread/read","params":{"threadId":%q,"includeTurns":true}}`, all["A prompt of Flint"].ID),
			},
			want: []string{`"A prompt of Flint"`, `"The first answer of Flint."`},
		},
		{
			name: "scaiflux", args: []string{"scaiflux", "serve", "--resume", all["A prompt of ScaiFlux"].ID},
			lines: []string{`{"type":"slash","command":"status"}`},
			want:  []string{`"session_id":"` + all["A prompt of ScaiFlux"].ID + `"`, `"turns":1`},
		},
		{
			name: "pisces", args: []string{"pisces", "--mode", "rpc", "--session", all["A prompt of Pisces"].ID},
			lines: []string{`{"id":"1","type":"get_messages"}`},
			want:  []string{`"A prompt of Pisces"`, `"The first answer of Pisces."`},
		},
		{
			name: "settings, key and sign-in of loaf", args: []string{"loaf", "rpc"},
			lines: []string{`{"jsonrpc":"2.0","id":1,"method":"model.list"}`, `{"jsonrpc":"2.0","id":2,"method":"auth.status"}`},
			want: []string{
				`"selected_model":"anthropic/claude-sonnet-4.5","selected_thinking":"HIGH"`, `"has_openai_token":true`, `"has_openrouter_key":true`,
			},
		},
		{name: "grants", args: []string{"grants", "list"}, want: []string{"git log *", "execute", "never"}},
		{name: "configuration", args: []string{"config", "show"}, want: []string{"http://127.0.0.1:14551", "tool_calls=40", "hooks.before_tool  1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			printed := run(t, p, strings.Join(c.lines, "\n")+"\n", c.args...)
			for _, want := range c.want {
				if !strings.Contains(printed, want) {
					t.Errorf("no %s in:\n%s", want, printed)
				}
			}
		})
	}
	before := filepath.Join(p.Home, "config.jsonc")
	if text, err := os.ReadFile(before); err != nil || !cmp.Equal(text, entries(t)["config.jsonc"]) {
		t.Errorf("the configuration was changed: %v", err)
	}
}

// old returns a place with the state folder and the configuration of 0.1.0.
func old(t *testing.T) *stage.Place {
	t.Helper()
	if _, err := os.Stat(workspace); err != nil {
		t.Skip(err)
	}
	p := stage.NewPlace(t)
	for name, data := range entries(t) {
		path := filepath.Join(p.Home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	p.Work = workspace
	p.Env = []string{"PARLEY_CONFIG=" + filepath.Join(p.Home, "config.jsonc")}
	p.Plays(t, "text Nothing is asked.")
	return p
}

// entries returns the files of testdata/state-0.1.0.tar.gz.
func entries(t *testing.T) map[string][]byte {
	t.Helper()
	packed, err := os.ReadFile("testdata/state-0.1.0.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(unpacked); ; {
		header, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if files[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// list returns the sessions by title.
func list(t *testing.T, p *stage.Place) map[string]summary {
	t.Helper()
	var printed struct {
		Sessions []summary `json:"sessions"`
	}
	if err := json.Unmarshal([]byte(run(t, p, "", "sessions", "list", "--json")), &printed); err != nil {
		t.Fatal(err)
	}
	all := map[string]summary{}
	for _, s := range printed.Sessions {
		all[s.Title] = s
	}
	return all
}

// run runs the program with an input, and returns what it prints.
func run(t *testing.T, p *stage.Place, input string, args ...string) string {
	t.Helper()
	cmd := p.Command(t, args...)
	var notes bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(input), &notes
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("parley %q: %v\n%s%s", args, err, printed, &notes)
	}
	return string(printed)
}
