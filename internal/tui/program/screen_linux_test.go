package program

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/terminal/terminaltest"
)

// panicVariable names how the test program panics on a terminal, in place of its tests.
const panicVariable = "PARLEY_TEST_PANIC"

func TestMain(m *testing.M) {
	if how := os.Getenv(panicVariable); how != "" {
		c := &console{status: &status{}, signals: notifySignals()}
		g := &guard{}
		p := tea.NewProgram(guarded{panicking{how: how, guard: g}, g}, tea.WithoutSignalHandler())
		g.end = p.Quit
		os.Exit(c.show(p, g))
	}
	os.Exit(m.Run())
}

// panicking is a model that panics with the first key.
type panicking struct {
	how   string
	guard *guard
	fail  bool // View panics
}

func (panicking) Init() tea.Cmd { return nil }

func (p panicking) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.KeyPressMsg); ok {
		switch p.how {
		case "update":
			panic("in update")
		case "command":
			return p, func() tea.Msg { panic("in a command") }
		case "sequence":
			return p, tea.Sequence(func() tea.Msg { return nil }, tea.Batch(func() tea.Msg { panic("in a sequence") }, nil))
		case "view":
			p.fail = true
		case "beside":
			p.guard.goRun(func() { panic("beside") })
		}
	}
	return p, nil
}

func (p panicking) View() tea.View {
	if p.fail {
		panic("in the view")
	}
	return tea.View{Content: "a screen", AltScreen: true, WindowTitle: "title", MouseMode: tea.MouseModeCellMotion, Cursor: tea.NewCursor(1, 1)}
}

// TestPanic: whatever panics, the terminal is as before, the panic is printed, and the exit code is 70.
func TestPanic(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for how, text := range map[string]string{"update": "in update", "command": "in a command", "sequence": "in a sequence", "view": "in the view", "beside": "beside"} {
		t.Run(how, func(t *testing.T) {
			screen := terminaltest.OpenScreen(t, 80, 24)
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), panicVariable+"="+how, "TERM=xterm-256color")
			code := screen.Start(cmd)
			screen.Wait("a screen")
			screen.Press("x")
			if got := code(); got != exitInternal {
				t.Errorf("exit %d", got)
			}
			screen.Written()
			if !strings.Contains(screen.Shown(), text) {
				t.Errorf("%q is not printed", text)
			}
			if state := screen.State(); state.Alternate || !state.Cursor || state.Modes != "" || screen.Title() != "" {
				t.Errorf("the terminal is left as %+v, title %q", state, screen.Title())
			}
		})
	}
}
