package program

import (
	"slices"
	"strings"
	"testing"
)

// TestStartArgs: a command line without a command is one of run or of the console, and every other one stays as it is.
func TestStartArgs(t *testing.T) {
	const console, pipe = true, false
	for _, test := range []struct {
		args       string // separated by |
		onTerminal bool
		want       string // "": as it is; !TEXT: an error with the text
	}{
		{"", console, "tui|--"},
		{"", pipe, ""},
		{"fix the test", console, "tui|--|fix the test"},
		{"fix the test", pipe, "run|--|fix the test"},
		{"-m|a/b|fix the test", console, "tui|--model=a/b|--|fix the test"},
		{"fix the test|--permission-mode|plan", console, "tui|--mode=plan|--|fix the test"},
		{"-w|/x", console, "tui|--workspace=/x|--"},
		{"-p|fix the test|--json", console, "run|--json|--|fix the test"},
		{"-p|hi", console, "run|--|hi"},
		{"-p|fix|the|test", console, "run|--|fix|the|test"},
		{"-p|run", console, "run|--|run"},
		{"-p", pipe, "run|--"},
		{"-c", console, "tui|--resume=latest|--"},
		{"--continue|go on", console, "tui|--resume=latest|--|go on"},
		{"-pc|go on", console, "run|--resume=latest|--|go on"},
		{"-c|go on", pipe, "run|--resume=latest|--|go on"},
		{"-c", pipe, "tui|--resume=latest|--"},
		{"--resume", console, "tui|--sessions|--"},
		{"--resume|abc", console, "tui|--resume=abc|--"},
		{"--resume=abc|go on", console, "tui|--resume=abc|--|go on"},
		{"-r|abc|go on", console, "tui|--resume=abc|--|go on"},
		{"-r|fix the test", console, "tui|--sessions|--|fix the test"},
		{"-p|-r|abc|go on", console, "run|--resume=abc|--|go on"},
		{"-p|go on|-r|latest", console, "run|--resume=latest|--|go on"},
		{"go on|--resume|latest", console, "tui|--resume=latest|--|go on"},
		{"-p|--|-r|x", console, "run|--|-r|x"},
		{"-p|--|-x", console, "run|--|-x"},

		{"-p|--resume", console, "!needs the ID"},
		{"-c|-r|abc", console, "!exclude each other"},
		{"-c|fix|the|test", console, "!in quotes"},
		{"fix the test|--json", console, "!--json is for --print"},
		{"fix the test|--nosuch", console, "!unknown flag: --nosuch"},
		{"-p|--nosuch", console, "!unknown flag: --nosuch"},
		{"-p|hi|--yolo", console, `!unknown flag: --yolo; did you mean "--permission-mode danger-full-access"?`},
		{"--nosuch", console, "!unknown flag: --nosuch"},
		{"--full-auto|hi", console, `!unknown flag: --full-auto; did you mean "parley run --sandbox workspace-write"?`},
		{"-a|never|hi", console, "!did you mean"},
		{"--mode|rpc", console, `!unknown flag: --mode; did you mean "--permission-mode"?`},
		{"--provider|openai|-m|x|hi", console, `!did you mean "--model PROVIDER/MODEL"?`},
		{"-m|a/b|--plain", console, "!unknown flag: --plain; other flags are those of parley run and parley tui"},
		{"--nosuch|run|hi", console, "!unknown flag: --nosuch"},
		{"-p|hi|--cwd|/x", console, "run|--workspace=/x|--|hi"},

		{"run|-m|a/b|fix the test", console, ""},
		{"codex|app-server|-c|model=x", pipe, ""},
		{"-m|a/b|run|hi", console, ""},
		{"fix|the|test", console, ""},
		{"__complete|-c|", pipe, ""},
		{"--help", console, ""},
		{"-p|--help", console, ""},
		{"--version", console, ""},
		{"-v", console, ""},
		{"-m|a/b|run|hi|--image|x", console, ""},
	} {
		var args []string
		if test.args != "" {
			args = strings.Split(test.args, "|")
		}
		got, err := startArgs(slices.Clone(args), test.onTerminal)
		switch text, wrong := strings.CutPrefix(test.want, "!"); {
		case wrong:
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%q: %q, %v; want the error %q", test.args, got, err, text)
			}
		case err != nil:
			t.Errorf("%q: %v", test.args, err)
		case test.want == "":
			if !slices.Equal(got, args) {
				t.Errorf("%q: %q", test.args, got)
			}
		case strings.Join(got, "|") != test.want:
			t.Errorf("%q: %q, want %q", test.args, strings.Join(got, "|"), test.want)
		}
	}
}
