package pisces

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
)

// TestOwnFile: a session is in its file before the file is there.
func TestOwnFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t, t.TempDir(), "hang\nnext\ntext Here.\n")
	c := p.dial(t)
	before := c.state()
	c.ask(CommandPrompt, `"message":"go"`)
	c.result(nil, CommandSwitchSession, `"sessionPath":`+string(rawjson.Quoted(before.SessionFile)))
	if now := c.state(); now.SessionID != before.SessionID || now.SessionFile != before.SessionFile || now.MessageCount != 2 {
		t.Errorf("the session is %+v", now)
	}
	c.end()
}

// TestNamedSessions: a session is found by its file, and by the beginning of its id, whether
// the journal or only the file has it; the last one is gone on with, and copies are new.
func TestNamedSessions(t *testing.T) {
	t.Parallel()
	p := newPlace(t, t.TempDir(), strings.Repeat("text Here.\nnext\n", 3))
	c := p.dial(t)
	c.turn("first")
	first := c.state()
	c.result(nil, CommandNewSession, "")
	c.turn("second")
	second := c.state()
	c.result(nil, CommandNewSession, "") // it stays empty
	third := c.state()
	c.end()
	foreign := filepath.Join(filepath.Dir(first.SessionFile), "2026-01-01T00-00-00-000Z_0123456789abcdef.jsonl")
	if err := os.WriteFile(foreign, []byte(`{"type":"session","version":3,"id":"0123456789abcdef","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, want string
		args       []string
	}{
		{"file", first.SessionID, []string{"--session", first.SessionFile}},
		{"id", first.SessionID, []string{"--session", first.SessionID}},
		{"upper case", second.SessionID, []string{"--session", strings.ToUpper(second.SessionID)}},
		{"only a file", third.SessionID, []string{"--session", third.SessionID}},
		{"of another program", "0123456789abcdef", []string{"--session", "01234567"}},
	} {
		c := p.dial(t, test.args...)
		if st := c.state(); st.SessionID != test.want {
			t.Errorf("%s: session %s, want %s", test.name, st.SessionID, test.want)
		}
		c.end()
	}
	c = p.dial(t, "--fork", first.SessionID)
	if st := c.state(); st.SessionID == first.SessionID || st.MessageCount != 2 {
		t.Errorf("the copy is %+v", st)
	}
	c.turn("third")
	copied := c.state()
	c.end()
	c = p.dial(t, "--continue")
	if st := c.state(); st.SessionID != copied.SessionID || st.MessageCount != 4 {
		t.Errorf("the last is %+v, want %s", st, copied.SessionID)
	}
	c.end()
}

// TestFolderOfSession: a session works in its own folder, whichever folder the process was started in and whoever has written its file.
func TestFolderOfSession(t *testing.T) {
	t.Parallel()
	p := newPlace(t, t.TempDir(), strings.Repeat("text Here.\nnext\n", 3))
	own, other := p.Work, filepath.Join(t.TempDir(), "other")
	c := p.dial(t)
	c.turn("first")
	file := c.state().SessionFile
	c.end()
	foreign := filepath.Join(filepath.Dir(file), "2026-01-01T00-00-00-000Z_0123456789abcdef.jsonl")
	if err := os.WriteFile(foreign, []byte(`{"type":"session","version":3,"id":"0123456789abcdef","timestamp":"2026-01-01T00:00:00.000Z","cwd":`+string(rawjson.Quoted(own))+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	p.Work, p.Env = other, append(p.Env, "PWD="+other)
	for _, path := range []string{file, foreign} {
		c := p.dial(t, "--session", path)
		for _, switched := range []bool{false, true} {
			if switched {
				c.result(nil, CommandNewSession, "")
				c.result(nil, CommandSwitchSession, `"sessionPath":`+string(rawjson.Quoted(path)))
			}
			var ran struct {
				Output string `json:"output"`
			}
			if c.result(&ran, CommandBash, `"command":"pwd"`); strings.TrimSpace(ran.Output) != own {
				t.Errorf("%s, switched to %t: it works in %q, want %s", path, switched, ran.Output, own)
			}
		}
		c.end()
	}
}
