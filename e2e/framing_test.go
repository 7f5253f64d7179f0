package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/model/modeltest"
)

// TestFraming: what a transcript cannot hold, byte for byte.
func TestFraming(t *testing.T) {
	t.Parallel()
	const version = `{"type":"slash","command":"version"}`
	const mark = "\ufeff"
	for name, lines := range map[string]struct {
		send string
		want string // types, and codes of errors
	}{
		"CRLF and blank lines":    {version + "\r\n\r\n\n \t \n" + version + "\n", "slash_result slash_result"},
		"mark on the first line":  {mark + version + "\n" + mark + version + "\n", "slash_result invalid_json"},
		"last line without LF":    {version + "\n" + version, "slash_result slash_result"},
		"last line without sense": {version + "\n{", "slash_result invalid_json"},
		"invalid UTF-8":           {"{\"type\":\"prompt\",\"text\":\"\xff\"}\n" + version + "\n", "invalid_json slash_result"},
		"NUL":                     {"\x00\n" + version + "\n", "invalid_json slash_result"},
		"duplicate keys":          {`{"type":"prompt","command":"x","type":"slash","command":"version"}` + "\n", "slash_result"},
		"only a mark":             {mark, ""},
		"nothing":                 {"", ""},
		"deep":                    {`{"type":"slash","command":"version","args":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}\n" + version + "\n", "invalid_json slash_result"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPlace(t).serve(t)
			s.SendText(lines.send)
			s.Stdin.Close()
			var got []string
			for {
				m, ok := s.Next()
				if !ok {
					break
				}
				if m.Type == "error" {
					m.Type = m.Code
				}
				got = append(got, m.Type)
			}
			if strings.Join(got, " ") != lines.want {
				t.Errorf("%q, want %s", got, lines.want)
			}
			if code := s.Code(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// TestLongLines: a line over the limit is refused once and forgotten, and what comes
// after it is understood.
func TestLongLines(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve(t)
	sent := make(chan struct{})
	go func() { // a pipe holds less than a line
		defer close(sent)
		for _, line := range []string{strings.Repeat("x", 17<<20), `{"type":"prompt","text":"` + strings.Repeat("y", 16<<20) + `"}`, `{"type":"slash","command":"version"}`} {
			s.SendText(line + "\n")
		}
	}()
	for range 2 {
		if e := s.Want("error"); e.Code != "invalid_json" || !strings.Contains(e.Message, "16777216") {
			t.Errorf("%s", e.Raw)
		}
	}
	s.Want("slash_result")
	<-sent
	if peak := s.Memory("VmHWM"); peak > 160<<20 {
		t.Errorf("peak memory is %d MiB", peak>>20)
	}
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestLongPrompt: 10 MB of prompt reach the model, whole, and survive a restart.
func TestLongPrompt(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcdé\n", 10_000_000/17)
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Long.")))
	p := b.place(t)
	s := p.serve(t)
	go s.Prompt(text) // a pipe holds less
	s.WantCompleted()
	if got := b.chatMessages(t, 0)[1]; got.Role != "user" || got.Text != text {
		t.Errorf("the model was sent a message of %s with %d bytes, want %d", got.Role, len(got.Text), len(text))
	}
	t.Logf("peak memory for a prompt of %d bytes: %d MiB", len(text), s.Memory("VmHWM")>>20)
	s.Exit()
	s = p.serve(t, "--resume", "latest")
	s.Slash("export", "talk.md")
	exported, err := os.ReadFile(filepath.Join(p.Work, "talk.md"))
	if err != nil || !strings.Contains(string(exported), strings.TrimSpace(text)) {
		t.Errorf("the prompt did not survive: %d bytes exported, %v", len(exported), err)
	}
}
