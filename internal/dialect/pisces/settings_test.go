package pisces

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// settingsOf reads settings of these texts; "" is no file.
func settingsOf(t *testing.T, agent, chosen, project string) (s *Settings, files SettingsFiles, log *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	files = SettingsFiles{Agent: filepath.Join(dir, "agent"), Project: filepath.Join(dir, "project"), Chosen: filepath.Join(dir, "state", "chosen.json")}
	for path, text := range map[string]string{
		filepath.Join(files.Agent, "config.yml"): agent, filepath.Join(files.Project, "settings.json"): project, files.Chosen: chosen,
	} {
		if text == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log = &bytes.Buffer{}
	return ReadSettings(files, slog.New(slog.NewTextHandler(log, nil))), files, log
}

// TestSettings: which file counts, how names are written, and how invalid values are handled.
func TestSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, agent, chosen, project string
		steering                     string
		retry                        bool
		delay                        float64
		warns                        string
	}{
		{"nothing", "", "", "", "one-at-a-time", true, 2000, ""},
		{"agent", "steeringMode: all\nretry: {enabled: false, baseDelayMs: 5}\n", "", "", "all", false, 5, ""},
		{"dotted", "retry.enabled: false\nretry.baseDelayMs: 7.5\n", "", "", "one-at-a-time", false, 7.5, ""},
		{"chosen before agent", "steeringMode: all\n", `{"steeringMode":"one-at-a-time","retry.enabled":false}`, "", "one-at-a-time", false, 2000, ""},
		{"project before all", "steeringMode: one-at-a-time\n", `{"retry.enabled":true}`, "// a remark\n{\"steeringMode\":\"all\",\"retry\":{\"enabled\":false,},}", "all", false, 2000, ""},
		{"another type", "steeringMode: 7\nretry: {enabled: perhaps}\n", "", "", "one-at-a-time", true, 2000, "another type"},
		{"a text for a number", "retry: {baseDelayMs: '5'}\n", "", "", "one-at-a-time", true, 2000, "another type"},
		{"another word", "steeringMode: some\n", "", "", "one-at-a-time", true, 2000, "not known"},
		{"capitals", "steeringMode: ALL\n", "", "", "all", true, 2000, ""},
		{"too small", "retry: {baseDelayMs: -3}\n", "", "", "one-at-a-time", true, 2000, "too small"},
		{"broken", "steeringMode: [\n", "", `{"retry":`, "one-at-a-time", true, 2000, "not read"},
	} {
		s, _, log := settingsOf(t, test.agent, test.chosen, test.project)
		steering, retry, delay := s.oneOf(settingSteering, "one-at-a-time", "all"), setting(s, settingRetry, true), s.number("retry.baseDelayMs", 1, 2000)
		if steering != test.steering || retry != test.retry || delay != test.delay {
			t.Errorf("%s: %s, %t, %v", test.name, steering, retry, delay)
		}
		if warned := log.String(); (warned == "") != (test.warns == "") || !strings.Contains(warned, test.warns) {
			t.Errorf("%s: the log says %q", test.name, warned)
		}
	}
}

// TestChosenSettings: what a client chooses holds at once, over every file, and for the next process.
func TestChosenSettings(t *testing.T) {
	t.Parallel()
	s, files, log := settingsOf(t, "followUpMode: all\n", `{"steeringMode":"all"}`, `{"retry":{"enabled":false}}`)
	s.choose(settingRetry, true)
	s.choose(settingFollowUps, "one-at-a-time")
	s.choose(settingCompact, false)
	if !setting(s, settingRetry, false) || setting(s, settingCompact, true) {
		t.Error("what was chosen does not hold")
	}
	if kept, err := os.ReadFile(files.Chosen); string(kept) != `{"compaction.enabled":false,"followUpMode":"one-at-a-time","retry.enabled":true,"steeringMode":"all"}` {
		t.Errorf("kept is %s, %v", kept, err)
	}
	next := ReadSettings(files, s.log)
	if mode := next.oneOf(settingFollowUps, "one-at-a-time", "all"); mode != "one-at-a-time" || setting(next, settingRetry, true) {
		t.Errorf("the next process has %s; its project has the last word", mode)
	}
	if log.Len() > 0 {
		t.Errorf("the log says %q", log)
	}
	if err := os.RemoveAll(filepath.Dir(files.Chosen)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Dir(files.Chosen), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.choose(settingRetry, false)
	if setting(s, settingRetry, true) || !strings.Contains(log.String(), "settings not kept") {
		t.Errorf("without a place to keep it the log says %q", log)
	}
}

// TestProjectFilesLeadNowhere: a project's settings and commands are files within it; what
// lies in the agent's folder may be a link.
func TestProjectFilesLeadNowhere(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{
		"secret.md": "hush", "secret.json": `{"steeringMode":"all"}`, "work/.pisces/commands/own.md": "own", "agent/commands/x": "",
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	work, agent := filepath.Join(dir, "work"), filepath.Join(dir, "agent")
	for link, target := range map[string]string{
		filepath.Join(work, ".pisces/commands/leak.md"): filepath.Join(dir, "secret.md"), filepath.Join(work, ".pisces/settings.json"): filepath.Join(dir, "secret.json"),
		filepath.Join(agent, "commands/mine.md"): filepath.Join(dir, "secret.md"), filepath.Join(work, ".pisces/commands/zero.md"): "/dev/zero",
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	s := ReadSettings(SettingsFiles{Agent: agent, Project: filepath.Join(work, ".pisces")}, slog.New(slog.NewTextHandler(&log, nil)))
	if got := s.oneOf(settingSteering, "one-at-a-time", "all"); got != "one-at-a-time" || !strings.Contains(log.String(), "settings not read") {
		t.Errorf("%s, and %s", got, &log)
	}
	c := &conn{cfg: Config{Flags: Flags{Cwd: work, Project: ".pisces", Agent: agent}}}
	for prompt, want := range map[string]string{"/own": "own", "/mine": "hush", "/leak": "/leak", "/zero": "/zero"} {
		if got := c.expander().expand(prompt); got != want {
			t.Errorf("%s stands for %q", prompt, got)
		}
	}
}

// TestProfile: omp.jsonc counts wherever the family looks for it, with dotted and nested names, and
// the other files of its folder count over it.
func TestProfile(t *testing.T) {
	t.Parallel()
	for name, project := range map[string]bool{
		"omp.jsonc": true, ".omp/omp.jsonc": true, ".pisces/omp.jsonc": true, "home/.pisces/omp.jsonc": false, "home/.pisces/agent/omp.jsonc": false,
	} {
		dir := t.TempDir()
		files := SettingsFiles{Agent: filepath.Join(dir, "home/.pisces/agent"), Project: filepath.Join(dir, "work/.pisces")}
		path := filepath.Join(dir, name)
		if project {
			path = filepath.Join(dir, "work", name)
		}
		write := func(path, text string) {
			t.Helper()
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(path, `{ // the document's form
  "task.budget.maxToolCalls": 1, "task.verification.profiles": {"ci": {"mode": "command"}},
}`)
		s := ReadSettings(files, slog.New(slog.DiscardHandler))
		if got := s.limits("task.budget.").ToolCalls; got != 1 || s.Check() != nil || string(s.tasks().Verify.Profiles["ci"]) != `{"mode":"command"}` {
			t.Errorf("%s: %d tool calls, %s, %v", name, got, s.tasks().Verify.Profiles, s.Check())
		}
		write(filepath.Join(files.Project, "settings.json"), `{"task": {"budget": {"maxToolCalls": 2}}}`)
		if got := ReadSettings(files, s.log).limits("task.budget.").ToolCalls; got != 2 {
			t.Errorf("%s: the project's settings do not count over it: %d", name, got)
		}
	}
}

// TestLimitsThatCannotHold: a limit of another type, out of range or of an unknown name is refused,
// with its file.
func TestLimitsThatCannotHold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"task.budget.maxToolCalls":"1"}`:                     `task.budget.maxToolCalls must be a number, found "1"`,
		`{"task":{"budget":{"maxCostUsd":"0.5"}}}`:             `task.budget.maxCostUsd must be a number, found "0.5"`,
		`{"task.budget.task.maxSubagents":true}`:               `task.budget.task.maxSubagents must be a number, found true`,
		`{"task.budget.warnAtRatio":7}`:                        `task.budget.warnAtRatio is out of range: 7`,
		`{"task.budget.subagent.maxTotalTokens":-4}`:           `task.budget.subagent.maxTotalTokens is out of range: -4`,
		`{"task.budget.maxDollars":1}`:                         `task.budget.maxDollars is not a limit`,
		`{"task.budget.maxToolCalls":[1]}`:                     `task.budget.maxToolCalls must be a number`,
		`{"task.budget.maxToolCalls":1,"task.budget.x.y":2}`:   `task.budget.x.y is not a limit`,
		`{"task.budget.maxToolCalls":0.0,"task.maxDepth":"x"}`: ``,
		`{"task.budget.maxToolCalls":null}`:                    ``,
		`{"task.budget.subagent.maxWallTimeMs":5.5}`:           ``,
	} {
		s, files, _ := settingsOf(t, "", "", text)
		err := s.Check()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), files.Project)) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if s, _, _ := settingsOf(t, "task: {budget: {maxToolCalls: one}}", "", ""); s.Check() == nil {
		t.Error("config.yml: a text for a limit is accepted")
	}
}
