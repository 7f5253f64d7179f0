package security

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/internal/terminal/terminaltest"
)

// A seat is a user at a terminal, and the program in front of them.
type seat struct {
	*terminaltest.Terminal
	cmd  *exec.Cmd
	code func() int
}

// sit starts the program at a terminal of 80 columns and 24 rows.
func (p *place) sit(args ...string) *seat {
	p.t.Helper()
	cmd := p.Command(p.t, args...)
	cmd.Env = append(cmd.Env, "TERM=xterm")
	term := terminaltest.Open(p.t, 80, 24)
	return &seat{term, cmd, term.Start(cmd)}
}

// asked waits for the question about a tool, and returns it as text: without the colours of
// Parley, and lines that were divided are whole again.
func (s *seat) asked(tool string) string {
	s.Until(`Allow ` + tool + `\?`)
	text := regexp.MustCompile(`\x1b\[[0-9]*m`).ReplaceAllString(s.Until(`Allow\? `), "")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.ReplaceAll(text, "\n  ╎ ", "")
}

func (p *place) exists(name string) bool {
	_, err := os.Stat(filepath.Join(p.Work, name))
	return err == nil
}

// TestTerminalShowsTheWholeCall: what the user approves at a terminal is shown to its end, however
// long it is, and with the reason.
func TestTerminalShowsTheWholeCall(t *testing.T) {
	t.Parallel()
	long := "ls " + strings.Repeat("docs/", 200) + " ; touch PWNED"
	many := strings.Repeat("one line of many\n", 60)
	for name, test := range map[string]struct {
		script, tool string
		want         []string
	}{
		"long command": {shell(long), "shell", []string{"\n  │ " + long + "\n"}},
		"many lines":   {shell(many + "touch PWNED"), "shell", []string{"  │ touch PWNED\n", "The request has 62 lines", "\n  p  "}},
		"hidden characters": {
			shell("touch PWNED \u202e# x\u200b\r"), "shell",
			[]string{"  │ touch PWNED ⟨U+202E⟩# x⟨U+200B⟩␍\n", "Reason: ", "it holds characters that cannot be seen: U+202E, U+200B, U+000D"},
		},
		"padding to the next line": {
			shell("ls" + strings.Repeat(" ", 78) + "Reason: it only lists; touch PWNED"), "shell",
			[]string{"  │ ls" + strings.Repeat(" ", 78) + "Reason: it only lists; touch PWNED\n"},
		},
		"new file": {
			`call write {"path":"PWNED","content":"one\ntwo\u202e\n"}` + "\nnext\n", "write",
			[]string{"PWNED: new file, 11 bytes; its new text holds characters that cannot be seen: U+202E", "  │ +one\n", "  │ +two⟨U+202E⟩\n"},
		},
		"file outside": {
			`call write {"path":"../PWNED","content":"x"}` + "\nnext\n", "write", []string{"Reason: ", "PWNED is outside the workspace"},
		},
		"tasks": {
			`call task {"agent":"task","tasks":[{"id":"a","description":"d","assignment":"do"}],"verify":{"commands":["go vet ./...","touch PWNED"]}}` + "\nnext\n", "task",
			[]string{"go vet ./...\n", "touch PWNED\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			if test.tool == "task" {
				p.Env = append(p.Env, "PARLEY_CONFIG="+p.write("home/config.jsonc", `{"subagents": {}}`, 0o600))
			}
			p.Plays(p.t, test.script+"text Done.\n")
			s := p.sit("run", "--permission-mode", "prompt", "go")
			asked := s.asked(test.tool)
			for _, want := range test.want {
				if !strings.Contains(asked, want) {
					t.Errorf("%q is not in the question:\n%s", want, asked)
				}
			}
			s.Type("n\n")
			if code := s.code(); code != 0 || p.exists("PWNED") {
				t.Errorf("exit code %d, PWNED exists: %v", code, p.exists("PWNED"))
			}
		})
	}
}

// TestTerminalIsNotControlled: nothing that a model, a command or a stored session says controls
// the terminal; pipes get it as it is.
func TestTerminalIsNotControlled(t *testing.T) {
	t.Parallel()
	const hostile = `\u001b[8m\u001b]52;c;cHduZWQ=\u0007\u009b2J\u202e`
	p := newPlace(t)
	p.Plays(p.t, `text "Allow? `+hostile+`"`+"\n"+shell(`printf 'out\033[8m\n'; printf '\033[2Jerr\n' >&2; false`)+"text Done.\n")
	control := regexp.MustCompile("\x1b(?:\\[8m|\\[2J|\\])|\a|\u009b|\u202e")

	s := p.sit("run", "--permission-mode", "workspace-write", "title \x1b]0;pwned\a")
	before := s.Until(`Allow shell\?`)
	if !strings.Contains(before, "\x1b[0m\x1b[1m") {
		t.Errorf("the question does not begin with a reset: %q", before)
	}
	s.Until(`Allow\? `)
	s.Type("y\n")
	if code := s.code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if found := control.FindAllString(s.Shown(), -1); found != nil {
		t.Errorf("the terminal got %q", found)
	}
	for _, want := range []string{"Allow? ␛[8m␛]52;c;cHduZWQ=␇⟨U+009B⟩2J⟨U+202E⟩", "out␛[8m", "␛[2Jerr"} {
		if !strings.Contains(s.Shown(), want) {
			t.Errorf("%q is not shown", want)
		}
	}

	sessions, err := filepath.Glob(filepath.Join(p.State(), "sessions/*/journal.jsonl"))
	if err != nil || len(sessions) != 1 {
		t.Fatal(sessions, err)
	}
	id := filepath.Base(filepath.Dir(sessions[0]))
	for _, args := range [][]string{{"sessions", "show", id}, {"sessions", "export", "--format", "md", id}, {"sessions", "export", id}} {
		s := p.sit(args...)
		s.Until(`⟨U\+202E⟩`)
		if code := s.code(); code != 0 {
			t.Errorf("%q: exit code %d", args, code)
		}
		if found := control.FindAllString(s.Shown(), -1); found != nil {
			t.Errorf("%q: the terminal got %q: %s", args, found, s.Shown())
		}
	}
	if shown := p.run("sessions", "show", id); !strings.Contains(shown.stdout, "\u202e") {
		t.Errorf("a pipe got %q", shown.stdout)
	}

	if end := p.run("run", "go"); !strings.Contains(end.stdout, "\x1b[8m\x1b]52;c;cHduZWQ=\a\u009b2J\u202e") {
		t.Errorf("a pipe got %q", end.stdout)
	}
}

// TestEarlyAnswerIsDropped: what was typed before a question does not answer it.
func TestEarlyAnswerIsDropped(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	fifo := filepath.Join(p.Work, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	p.Plays(p.t, shell("cat fifo")+shell("touch PWNED")+shell("touch PWNED2")+"text Done.\n")
	s := p.sit("run", "--permission-mode", "workspace-write", "go")
	s.asked("shell")
	s.Type("y\n")
	release, err := os.OpenFile(fifo, os.O_WRONLY, fs.ModeNamedPipe) // the command runs
	if err != nil {
		t.Fatal(err)
	}
	s.Type("y\ny\ny")
	s.Until("y\r\ny\r\ny") // it has arrived
	release.Close()
	s.asked("shell")
	s.Type("n\n")
	s.asked("shell")
	s.Type("maybe\n")
	s.Until("That is no answer")
	s.Until(`Allow\? `)
	s.Type("\n")
	s.Until("That is no answer")
	s.Until(`Allow\? `)
	s.Type("n use git instead\n")
	s.Until(`\[denied\]\S* use git instead`)
	if code := s.code(); code != 0 || p.exists("PWNED") || p.exists("PWNED2") {
		t.Errorf("exit code %d; the commands ran: %v, %v", code, p.exists("PWNED"), p.exists("PWNED2"))
	}
}

// TestSignalAtQuestion: the first signal ends the program, also while it waits for an answer.
func TestSignalAtQuestion(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stop func(s *seat)
		code int
	}{
		"Ctrl-C":  {func(s *seat) { s.Type("\x03") }, 130},
		"SIGINT":  {func(s *seat) { _ = s.cmd.Process.Signal(syscall.SIGINT) }, 130},
		"SIGTERM": {func(s *seat) { _ = s.cmd.Process.Signal(syscall.SIGTERM) }, 143},
		"SIGHUP":  {func(s *seat) { _ = s.cmd.Process.Signal(syscall.SIGHUP) }, 129},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.Plays(p.t, shell("touch PWNED")+"text Done.\n")
			s := p.sit("run", "--permission-mode", "workspace-write", "go")
			s.asked("shell")
			test.stop(s)
			if code := s.code(); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if p.exists("PWNED") {
				t.Error("the command ran")
			}
		})
	}
}

// TestAllowForSession: the answer for the session covers what it says, and no more.
func TestAllowForSession(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.Plays(p.t, shell("echo 1 >> log")+shell("echo 1 >> log")+shell("echo 2 >> log")+"text Done.\n")
	s := p.sit("run", "--permission-mode", "workspace-write", "go")
	if asked := s.asked("shell"); !strings.Contains(asked, "about this command in "+p.Work) {
		t.Errorf("it asks\n%s", asked)
	}
	s.Type("a\n")
	if asked := s.asked("shell"); !strings.Contains(asked, "echo 2") {
		t.Errorf("it asks\n%s", asked)
	}
	s.Type("n\n")
	if code := s.code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if log, err := os.ReadFile(filepath.Join(p.Work, "log")); string(log) != "1\n1\n" {
		t.Errorf("%q, %v", log, err)
	}
}

// TestQuestionsOfTheModel: a question of the model is shown clean, and the answer goes to the model;
// what was typed before does not answer it.
func TestQuestionsOfTheModel(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.Plays(p.t, `call ask {"questions":[{"question":"Which\u001b[8m colour?","options":[{"label":"red"},{"label":"blue"}]}]}`+"\nnext\nexpect blue\ntext Painted.\n")
	s := p.sit("run", "go")
	s.Until(`Which␛\[8m colour\?`)
	s.Until(`Answer: `)
	s.Type("7\n")
	s.Until("There is no answer 7")
	s.Until(`Answer: `)
	s.Type("2\n")
	s.Until("Painted")
	if code := s.code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
