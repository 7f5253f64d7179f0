package pi

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/model"
)

// TestOpen: what a session is begun with, and what pi says about it.
func TestOpen(t *testing.T) {
	b := newBench(t, "start: {\"type\":\"ready\"}\n\nstart: hello\n\nbegin\nsay Hi.\nanswer stop\nover")
	a := b.open(backend.Opening{
		Settings: backend.Settings{Model: "test/a/two", Thinking: model.High}, Instructions: "Be brief.",
		Servers: []backend.Server{{Name: "x", Command: "y"}},
	})
	gate := filepath.Join(b.options.Folder, filepath.Base(only(t, b.options.Folder)))
	contains(t, b.received(), `args ["--mode" "rpc" "-e" "`+gate+`" "--provider" "test" "--model" "a/two" "--thinking" "high" "--append-system-prompt" "Be brief."]`)
	if info, err := os.Stat(gate); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the extension: %v, %v", info.Mode(), err)
	}
	if diff := cmp.Diff(backend.Info{Program: "pi", Version: "9.9", Resumes: true, Steers: true, Compacts: true, Forks: true}, a.Info()); diff != "" {
		t.Error(diff)
	}
	got := b.turn(b.ctx, a, "Go.", nil)
	want(t, got, lines("note warning backend_server pi:test takes no tool servers: those of the session are not there.", "answer-0 text Hi.", "answered", "over: completed")...)
	if got := b.turn(b.ctx, a, "Go on.", nil); strings.HasPrefix(got[0], "note") {
		t.Error("the note comes with each turn")
	}
}

// only returns the path of the one file in a folder.
func only(t *testing.T, folder string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(all) != 1 {
		t.Fatalf("%q, %v", all, err)
	}
	return all[0]
}

// TestGate: the extension is written anew where it was changed.
func TestGate(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	for _, change := range []string{"", "x"} {
		path, err := writeGate(folder)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != string(gate) {
			t.Errorf("%q, %v", text, err)
		}
		if err := os.WriteFile(path, []byte(change), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUngated: a pi that has not loaded the extension is not used.
func TestUngated(t *testing.T) {
	b := newBench(t, "")
	b.env = []string{scriptVariable + "_UNGATED=1"}
	_, err := New(b.options).Open(b.ctx, backend.Opening{Dir: b.dir})
	if failed, ok := errors.AsType[*backend.Error](err); !ok || failed.Code != backend.CodeProtocol {
		t.Errorf("%v", err)
	}
}

// TestNotReady: a pi that does not answer in time, or that ends, is not used.
func TestNotReady(t *testing.T) {
	for name, script := range map[string]string{"slow": "start: {}\n\n", "gone": ""} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, script)
			if name == "slow" {
				b.options.StartLimit = time.Nanosecond
			} else {
				program := b.options.Program
				b.options.Program = func(o backend.Opening) (backend.Program, error) {
					p, err := program(o)
					p.Path = "/bin/false"
					return p, err
				}
			}
			_, err := New(b.options).Open(b.ctx, backend.Opening{Dir: b.dir})
			if failed, ok := errors.AsType[*backend.Error](err); !ok || failed.Code != backend.CodeStart {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestResume: another process goes on with a session, in its folder, or with a copy in another one.
func TestResume(t *testing.T) {
	b := newBench(t, "")
	a := b.open(backend.Opening{})
	if _, err := New(b.options).Open(b.ctx, backend.Opening{Dir: b.dir, Session: a.ID()}); !errors.Is(err, backend.ErrGone) {
		t.Errorf("before the first answer: %v", err)
	}
	b.turn(b.ctx, a, "One.", nil)
	a.process.Kill()
	again := b.open(backend.Opening{Session: a.ID()})
	if again.ID() != a.ID() {
		t.Errorf("resumed as %s", again.ID())
	}
	contains(t, b.received(), `"--session" "`+a.ID()+`"`)
	b.dir = t.TempDir()
	moved := b.open(backend.Opening{Session: a.ID()})
	if moved.ID() == a.ID() {
		t.Error("the session goes on in its own folder")
	}
	contains(t, b.received(), `"--fork" "`+a.ID()+`"`)
}

// TestGone: a session whose file is gone, or is no session, cannot be resumed.
func TestGone(t *testing.T) {
	b := newBench(t, "")
	for name, text := range map[string]string{"gone": "", "empty": "\n", "other": "{\"type\":\"message\",\"id\":\"a\"}\n", "unanswered": "{\"type\":\"session\",\"id\":\"a\"}\n"} {
		path := filepath.Join(t.TempDir(), name)
		if text != "" {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := New(b.options).Open(b.ctx, backend.Opening{Dir: b.dir, Session: path}); !errors.Is(err, backend.ErrGone) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCompact: a compaction returns its summary, or why there is none.
func TestCompact(t *testing.T) {
	b := newBench(t, "")
	a := b.open(backend.Opening{})
	if _, err := a.Compact(b.ctx); err == nil || !strings.Contains(err.Error(), "Nothing to compact") {
		t.Errorf("an empty session: %v", err)
	}
	b.turn(b.ctx, a, "One.", nil)
	if summary, err := a.Compact(b.ctx); err != nil || summary != "A summary." {
		t.Errorf("%q, %v", summary, err)
	}
}

// TestFork: a copy has the first prompts, and the session goes on as it was. What was said while pi worked is no prompt.
func TestFork(t *testing.T) {
	b := newBench(t, "begin\nsay One.\nuntil prompt\nanswer stop\nover\n\nbegin\nanswer stop\nover\n\nbegin\nanswer stop\nover")
	a := b.open(backend.Opening{})
	steered := make(chan error, 1)
	b.turn(b.ctx, a, "first", func(u backend.Update) {
		if _, ok := u.(backend.Text); ok {
			go func() { steered <- a.Steer(b.ctx, promptText("besides")) }()
		}
	})
	if err := <-steered; err != nil {
		t.Fatal(err)
	}
	b.turn(b.ctx, a, "second", nil)
	b.turn(b.ctx, a, "third", nil)
	if err := a.Change(b.ctx, backend.Settings{Model: "test/a/two"}); err != nil {
		t.Fatal(err)
	}
	for prompts, parts := range map[int][]string{1: {"first", "besides"}, 2: {"first", "besides", "second"}, 3: {"first", "besides", "second", "third"}} {
		path, err := a.Fork(b.ctx, prompts)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"first", "besides", "second", "third"} {
			if wanted := strings.Contains(strings.Join(parts, " "), part); strings.Contains(string(text), part) != wanted || path == a.ID() {
				t.Errorf("the copy with %d prompts is %s:\n%s", prompts, path, text)
			}
		}
		if o, err := a.Offers(b.ctx); err != nil || o.Model != "test/a/two" || a.state.SessionFile != a.ID() {
			t.Errorf("the session goes on with %s in %s, %v", o.Model, a.state.SessionFile, err)
		}
	}
	if _, err := a.Fork(b.ctx, 0); !errors.Is(err, backend.ErrUnsupported) {
		t.Errorf("no prompts: %v", err)
	}
	if _, err := a.Fork(b.ctx, 4); err == nil {
		t.Error("more prompts than there are")
	}
	if got := b.turn(b.ctx, a, "Go on.", nil); got[len(got)-1] != "over: completed" {
		t.Errorf("%q", got)
	}
}

// TestOffers: the models with what they can, and what they are changed to.
func TestOffers(t *testing.T) {
	b := newBench(t, "")
	a := b.open(backend.Opening{})
	got, err := a.Offers(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(backend.Offers{Model: "test/one", Models: []backend.Model{
		{ID: "test/one", Name: "One", Window: 1000, Thinking: []model.Thinking{model.Off, model.Low, model.Medium, model.High}},
		{ID: "test/a/two", Name: "Two", Window: 2000, Thinking: []model.Thinking{model.Off}, Images: true},
	}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, row := range []struct {
		to    backend.Settings
		level string // that pi gets; "": none
	}{
		{backend.Settings{Thinking: model.Medium}, ""},
		{backend.Settings{Thinking: model.XHigh}, "high"},
		{backend.Settings{Thinking: model.Minimal}, "off"},
		{backend.Settings{Model: "test/one"}, ""},
	} {
		before := strings.Count(b.received(), "set_thinking_level")
		if err := a.Change(b.ctx, row.to); err != nil {
			t.Fatal(err)
		}
		after := b.received()
		if strings.Count(after, "set_thinking_level")-before != len(row.level[:min(1, len(row.level))]) || row.level != "" && a.state.ThinkingLevel != row.level {
			t.Errorf("%+v: %s", row.to, after)
		}
	}
	if err := a.Change(b.ctx, backend.Settings{Model: "test/a/two"}); err != nil || !a.Info().Images {
		t.Errorf("%v, %+v", err, a.Info())
	}
	for _, name := range []string{"nothing", "test/nothing"} {
		err := a.Change(b.ctx, backend.Settings{Model: name})
		if failed, ok := errors.AsType[*backend.Error](err); !ok || failed.Code != backend.CodeRefused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestImages: images go with the prompt.
func TestImages(t *testing.T) {
	b := newBench(t, "")
	a := b.open(backend.Opening{})
	p := promptText("Look.")
	p.Blocks = append(p.Blocks, model.Block{Kind: model.KindImage, Image: &model.Image{MIME: "image/png", Data: []byte("abc")}}, model.TextBlock("Well?"))
	for range a.Turn(b.ctx, p) {
	}
	contains(t, b.received(), `"message":"Look.\n\nWell?","images":[{"type":"image","data":"YWJj","mimeType":"image/png"}]`)
}
