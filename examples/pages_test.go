package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/transcript"
)

// step is a block of commands of a page, and the block of what they print that follows it, if there is one.
var step = regexp.MustCompile("(?m)^```sh\n((?s:.*?))^```$(?:\n\n```text\n((?s:.*?))^```$)?")

// TestPages runs the commands of pages, those of each in one shell, and compares what they print.
func TestPages(t *testing.T) {
	t.Parallel()
	if out, _ := stage.NewPlace(t).Command(t, "doctor").CombinedOutput(); !strings.Contains(string(out), "ok  sandbox  ") {
		t.Skipf("this machine confines no commands:\n%s", out)
	}
	for _, name := range []string{"tutorial", "recipes"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runPage(t, name)
		})
	}
}

// TestBotInDocs: docs/tutorial.md shows the bot in Go that these tests run.
func TestBotInDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("bot/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```go\n"+string(code)+"```\n") {
		t.Error("docs/tutorial.md does not show examples/bot/main.go as it is")
	}
}

// runPage runs the commands of a page, and compares what they print.
func runPage(t *testing.T, name string) {
	page, err := os.ReadFile(filepath.Join("..", "docs", name+".md"))
	if err != nil {
		t.Fatal(err)
	}
	steps := step.FindAllStringSubmatch(string(page), -1)
	if len(steps) == 0 {
		t.Fatal("there are no commands")
	}
	outputs := runSteps(t, steps)
	for i, s := range steps {
		switch {
		case i >= len(outputs):
			t.Fatalf("not run:\n%s", s[1])
		case s[2] != "" && !matches(s[2], outputs[i]):
			t.Errorf("%s\nprints\n%s\nand not\n%s", s[1], outputs[i], s[2])
		}
	}
}

// runSteps runs the commands of all steps beside a clone, and returns what each step prints to stdout.
func runSteps(t *testing.T, steps [][]string) []string {
	t.Helper()
	const end = "\x00"
	script := "set -e\n"
	for _, s := range steps {
		script += s[1] + "printf '\\0'\n"
	}
	p := stage.NewPlace(t)
	clone, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(clone, filepath.Join(p.Work, "parley")); err != nil {
		t.Fatal(err)
	}
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	caches := strings.Fields(string(cache))
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", script)
	cmd.Dir = p.Work
	cmd.Env = []string{
		"PATH=" + filepath.Dir(transcript.BuildConsole(t)) + ":" + os.Getenv("PATH"), "HOME=" + p.Home, "PARLEY_MODEL=offline/demo",
		"GOCACHE=" + caches[0], "GOMODCACHE=" + caches[1],
	}
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "GO") && !strings.HasPrefix(variable, "GOCACHE=") && !strings.HasPrefix(variable, "GOMODCACHE=") {
			cmd.Env = append(cmd.Env, variable) // another toolchain or flags would build everything again
		}
	}
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Errorf("%v\n%s\n%s", err, out.String(), errs.String())
	}
	outputs := strings.SplitAfter(out.String(), end)
	for i, o := range outputs {
		outputs[i] = strings.TrimSuffix(o, end)
	}
	return outputs[:len(outputs)-1]
}

// matches reports whether a text is the documented one, in which a line … stands for any lines, and … within a line for any text.
func matches(documented, text string) bool {
	quoted := regexp.QuoteMeta(documented)
	quoted = regexp.MustCompile("(?m)^…\n").ReplaceAllString(quoted, "(?:.*\n)*?")
	return regexp.MustCompile("^" + strings.ReplaceAll(quoted, "…", ".*") + "$").MatchString(text)
}
