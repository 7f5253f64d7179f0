package pisces

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/recordtest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// TestCompactionKeepsFromReminder: the event of a compaction that keeps the history from a reminder on.
func TestCompactionKeepsFromReminder(t *testing.T) {
	v := newView(message.NewFold(around()), nil, nil, nil)
	for _, rec := range recordtest.Records(append(recordtest.CutTurn(true), event.Compacted{Summary: "s", KeptFrom: 11})...) {
		v.know(rec)
	}
	if got := v.summary.FirstKeptEntryID; got != "0000000d" {
		t.Errorf("kept from %s", got)
	}
}

// TestCountRules: an answer that is void is no message of the context.
func TestCountRules(t *testing.T) {
	for void, want := range map[bool]int{true: 4, false: 5} {
		v := newView(message.NewFold(around()), nil, nil, nil)
		for _, rec := range recordtest.Records(recordtest.CutTurn(void)...) {
			v.know(rec)
		}
		if got := len(v.context.messages); got != want {
			t.Errorf("void %v: %d messages", void, got)
		}
	}
}

func layOut(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestReadRules: rules of the project come before those of the agent; settings say what
// becomes of an answer.
func TestReadRules(t *testing.T) {
	dir := layOut(t, map[string]string{
		"w/.pisces/rules/always.md": "---\nalwaysApply: true\n---\nBe kind.", "w/.pisces/rules/both.md": "---\ncondition: bad\n---\nOf the project.",
		"agent/rules/both.md": "---\ncondition: bad\n---\nOf the agent.", "agent/rules/sql.md": "---\ndescription: About SQL\nglobs: '*.sql'\n---\nUpper case.",
		"agent/config.yml": "ttsr:\n  contextMode: keep\n  interruptMode: never\n  repeatMode: after-gap\n",
	})
	cfg := Config{
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Flags: Flags{Cwd: filepath.Join(dir, "w"), Project: ".pisces", Agent: filepath.Join(dir, "agent")},
	}
	cfg.Settings = ReadSettings(SettingsFiles{Agent: cfg.Flags.Agent}, cfg.Log)
	r := readRules(cfg)
	catalogue := r.catalogue()
	for _, want := range []string{"# Rule always\n\nBe kind.", "- sql: About SQL (" + filepath.Join(dir, "agent/rules/sql.md") + ", about *.sql)"} {
		if !strings.Contains(catalogue, want) {
			t.Errorf("no %q in %s", want, catalogue)
		}
	}
	if strings.Contains(catalogue, "Of the") || strings.Contains(catalogue, "Upper case") {
		t.Error(catalogue)
	}
	past := func(answers int, ok bool) engine.Past { return func(string) (int, bool) { return answers, ok } }
	bad := event.TextDelta{Text: "bad"}
	o := r.WatchAnswer(past(0, false))(bad)
	if o == nil || o.Cut || o.Forget || !strings.Contains(o.Note.Blocks[0].Text, "Of the project.") {
		t.Errorf("%+v", o)
	}
	if r.WatchAnswer(past(9, true)) != nil || r.WatchAnswer(past(10, true)) == nil {
		t.Error("the gap is not 10")
	}
	named := r.named([]string{"both", "gone"})
	if len(named) != 2 || named[0].Source.Level != "project" || named[1].Name != "gone" {
		t.Errorf("%+v", named)
	}
	cfg.Flags.NoRules = true
	if r := readRules(cfg); r.catalogue() != "" || r.WatchAnswer(past(0, false)) != nil {
		t.Error("--no-rules does not count")
	}
}

// TestInterruptText: names and paths of files cannot leave their quotes.
func TestInterruptText(t *testing.T) {
	dir := layOut(t, map[string]string{`w/.pisces/rules/a" b="<c>.md`: "---\ncondition: bad\n---\nx"})
	cfg := Config{Log: slog.New(slog.DiscardHandler), Now: time.Now, Flags: Flags{Cwd: filepath.Join(dir, "w"), Project: ".pisces", Agent: dir}}
	cfg.Settings = ReadSettings(SettingsFiles{Agent: dir}, cfg.Log)
	o := readRules(cfg).WatchAnswer(func(string) (int, bool) { return 0, false })(event.ThinkingDelta{Text: "bad"})
	if o != nil {
		t.Errorf("thoughts are not watched: %+v", o)
	}
	o = readRules(cfg).WatchAnswer(func(string) (int, bool) { return 0, false })(event.ToolInputDelta{Name: "bash", Text: "bad"})
	if o == nil || !o.Cut || !o.Forget || !strings.Contains(o.Note.Blocks[0].Text, `rule="a&quot; b=&quot;&lt;c&gt;" path="`) {
		t.Errorf("%+v", o)
	}
}

// TestNumbers: a number is one however its file writes it, 0 too, and the file that counts
// most wins.
func TestNumbers(t *testing.T) {
	dir := layOut(t, map[string]string{
		"agent/config.yml":      "a: 0\nb: 3\nc: -2\nd: x\n",
		"project/settings.json": `{"b": 4, "e": 0.5}`,
	})
	s := ReadSettings(SettingsFiles{Agent: filepath.Join(dir, "agent"), Project: filepath.Join(dir, "project")}, slog.New(slog.DiscardHandler))
	for name, want := range map[string]float64{"a": 0, "b": 4, "c": 7, "d": 7, "e": 0.5, "f": 7} {
		if got := s.number(name, 0, 7); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// TestTodosOptions: what the settings say of todos.
func TestTodosOptions(t *testing.T) {
	for text, want := range map[string]engine.Todos{
		"":                                       {Reminders: 3, ClearAfter: time.Minute},
		"todo.reminders: false":                  {ClearAfter: time.Minute},
		"todo: {reminders: {max: 1}}":            {Reminders: 1, ClearAfter: time.Minute},
		"tasks: {todoClearDelay: 0}":             {Reminders: 3, ClearAfter: 1},
		"tasks.todoClearDelay: -1":               {Reminders: 3},
		"tasks.todoClearDelay: -5":               {Reminders: 3, ClearAfter: time.Minute},
		"todo.reminders.max: 0\ntodo.x: [1,2,3]": {ClearAfter: time.Minute},
	} {
		dir := layOut(t, map[string]string{"config.yml": text})
		log := slog.New(slog.DiscardHandler)
		c := &conn{cfg: Config{Log: log, Settings: ReadSettings(SettingsFiles{Agent: dir}, log)}}
		if got := c.todos(); *got != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
