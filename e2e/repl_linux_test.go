package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/terminal/terminaltest"
)

// A replSeat is a user in front of "scaiflux repl".
type replSeat struct {
	*terminaltest.Terminal
	place *stage.Place
	cmd   *exec.Cmd
	code  func() int
}

// replCommand returns the REPL on a script.
func replCommand(t *testing.T, script string, args ...string) (*stage.Place, *exec.Cmd) {
	t.Helper()
	p := stage.NewPlace(t)
	p.Plays(t, script)
	p.Env = append(p.Env, "TERM=xterm")
	return p, p.Command(t, append([]string{"scaiflux", "repl"}, args...)...)
}

// sitRepl starts the REPL at a terminal and waits for its prompt.
func sitRepl(t *testing.T, script string, args ...string) *replSeat {
	t.Helper()
	p, cmd := replCommand(t, script, args...)
	term := terminaltest.Open(t, 100, 30)
	s := &replSeat{term, p, cmd, term.Start(cmd)}
	s.prompt()
	return s
}

// prompt waits until the REPL reads a line.
func (s *replSeat) prompt() string { return s.Until("\x1b\\[\\?2004h> ") }

func (s *replSeat) wantCode(t *testing.T, want int) {
	t.Helper()
	if code := s.code(); code != want {
		t.Errorf("exit code %d, want %d", code, want)
	}
}

func (s *replSeat) exists(name string) bool {
	_, err := os.Stat(filepath.Join(s.place.Work, name))
	return err == nil
}

// TestReplTurn: prompts, slash commands, questions and their answers.
func TestReplTurn(t *testing.T) {
	t.Parallel()
	s := sitRepl(t, `
		text "Hello\u001b[8m."
		next
		call write_file {"path":"covered","content":"x"}
		call bash {"command":"touch A"}
		next
		text Ran.
		next
		call bash {"command":"touch B"}
		call bash {"command":"touch A; touch C"}
		next
		expect (?s)the user said: later
		text Over.
	`)
	s.Type("hi\r")
	s.Until(`Hello␛\[8m\.`)
	s.prompt()
	s.Type("/status\r")
	s.Until("mode workspace-write")
	s.prompt()
	s.Type("work\r")
	s.Until(`Allow bash\?`)
	s.Until("  │ \x1b\\[0mtouch A\r\n")
	s.Until(`Allow\? `)
	s.Type("y\n")
	s.Until("Ran.")
	s.prompt()
	if !s.exists("covered") || !s.exists("A") {
		t.Error("the calls did not run")
	}
	s.Type("more\r")
	s.Until(`Allow bash\?`)
	s.Until(`Allow\? `)
	s.Type("n\n")
	s.Until(`Allow bash\?`)
	s.Until(`Allow\? `)
	s.Type("n the user said: later\n")
	s.Until("Over.")
	s.prompt()
	if s.exists("B") || s.exists("C") {
		t.Error("a denied call ran")
	}
	s.Type("/exit\r")
	s.wantCode(t, 0)
}

// TestReplSession: an answer for the session covers what it says.
func TestReplSession(t *testing.T) {
	t.Parallel()
	s := sitRepl(t, `
		call write_file {"path":"one","content":"x"}
		call write_file {"path":"two","content":"x"}
		call write_file {"path":"three","content":"\u202e"}
		next
		text Over.
	`, "--permission-mode", "read-only")
	s.Type("go\r")
	s.Until("about calls of write_file that need no more than workspace-write")
	s.Until(`Allow\? `)
	s.Type("a\n")
	s.Until("⟨U\\+202E⟩") // two was not asked about
	s.Until(`Allow\? `)
	s.Type("n\n")
	s.Until("Over.")
	s.prompt()
	if !s.exists("one") || !s.exists("two") || s.exists("three") {
		t.Errorf("one %v, two %v, three %v", s.exists("one"), s.exists("two"), s.exists("three"))
	}
	s.Type("\x04")
	s.wantCode(t, 0)
}

// TestReplInterrupt: Ctrl-C ends a turn, also at a question, and twice at the prompt the program.
func TestReplInterrupt(t *testing.T) {
	t.Parallel()
	s := sitRepl(t, `
		text Wait.
		hang
		call bash {"command":"touch A"}
		next
		text Over.
	`)
	s.Type("hang\r")
	s.Until(`Wait\.`)
	s.Type("\x03")
	s.Until("the turn ended: interrupted")
	s.prompt()
	s.Type("ask\r")
	s.Until(`Allow\? `)
	s.Type("\x03")
	s.Until("the turn ended: interrupted")
	s.prompt()
	s.Type("a line that is dropped\x03")
	s.Until("Press Ctrl-C again")
	s.prompt()
	s.Type("\x03")
	s.wantCode(t, 0)
	if s.exists("A") {
		t.Error("the call ran")
	}
}

// TestReplSignals: SIGTERM and SIGHUP end the program wherever it is.
func TestReplSignals(t *testing.T) {
	t.Parallel()
	const hangs, asks = "text Wait.\nhang\n", `call bash {"command":"touch A"}` + "\nnext\ntext Over.\n"
	for name, test := range map[string]struct {
		script string
		until  string // after a prompt; "": there is none
		sig    syscall.Signal
		code   int
	}{
		"at the prompt":   {hangs, "", syscall.SIGTERM, 143},
		"hangup":          {hangs, "", syscall.SIGHUP, 129},
		"in a turn":       {hangs, `Wait\.`, syscall.SIGTERM, 143},
		"at the question": {asks, `Allow\? `, syscall.SIGTERM, 143},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sitRepl(t, test.script)
			if test.until != "" {
				s.Type("go\r")
				s.Until(test.until)
			}
			if err := s.cmd.Process.Signal(test.sig); err != nil {
				t.Fatal(err)
			}
			s.wantCode(t, test.code)
		})
	}
}

// TestReplPiped: without a terminal each line is a prompt, and what needs approval is denied.
func TestReplPiped(t *testing.T) {
	t.Parallel()
	p, cmd := replCommand(t, `
		call bash {"command":"touch A"}
		next
		expect no user is at a terminal
		text First.
		next
		text Second.
	`)
	cmd.Stdin = strings.NewReader("one\n/mode\ntwo")
	out, err := cmd.Output()
	if err != nil || string(out) != "First.\nmode: workspace-write\navailable: read-only, plan, workspace-write, prompt, danger-full-access\nSecond.\n" {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(p.Work, "A")); err == nil {
		t.Error("the call ran")
	}
}

// TestReplDenyRule: a rule of the project against a call is asked about, whatever the mode covers.
func TestReplDenyRule(t *testing.T) {
	t.Parallel()
	p, cmd := replCommand(t, `call bash {"command":"touch A"}`+"\nnext\ntext Over.\n", "--permission-mode", "danger-full-access")
	p.Write(t, ".scaiflux.json", `{"permissions":{"deny":["bash:touch *"]}}`)
	term := terminaltest.Open(t, 100, 30)
	code := term.Start(cmd)
	term.Until("\x1b\\[\\?2004h> ")
	term.Type("go\r")
	term.Until("matches deny rule")
	term.Until(`Allow\? `)
	term.Type("n\n")
	term.Until(`Over\.`)
	term.Until("\x1b\\[\\?2004h> ")
	term.Type("\x04")
	if code := code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestReplRefused: a session that cannot be opened ends the program with the reason.
func TestReplRefused(t *testing.T) {
	t.Parallel()
	_, cmd := replCommand(t, "text x\n", "--resume", "nosuch")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "nosuch") {
		t.Errorf("%v\n%s", err, out)
	}
}
