package tui

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/terminal/terminaltest"
	"parley.dev/parley/internal/transcript"
)

var pictures = flag.Bool("pictures", false, "write the pictures of docs/tui anew")

// A console is the program on a terminal.
type console struct {
	*terminaltest.Screen
	t    *testing.T
	cmd  *exec.Cmd
	exit func() int
}

// place makes folders in which the model plays a script; "": it is the demo.
func place(t *testing.T, script string) *stage.Place {
	t.Helper()
	p := stage.NewPlace(t)
	if script != "" {
		p.Plays(t, script)
	}
	return p
}

// command is parley in a place, with the console beside it.
func command(t *testing.T, p *stage.Place, args ...string) *exec.Cmd {
	t.Helper()
	transcript.BuildConsole(t)
	cmd := p.Command(t, args...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "COLORTERM=truecolor")
	return cmd
}

// start starts parley tui in 80 columns and 24 rows, and waits for its footer.
func start(t *testing.T, p *stage.Place, args ...string) *console {
	t.Helper()
	return startSized(t, p, 80, 24, args...)
}

func startSized(t *testing.T, p *stage.Place, columns, rows uint16, args ...string) *console {
	t.Helper()
	return startCommand(t, command(t, p, append([]string{"tui"}, args...)...), columns, rows)
}

func startCommand(t *testing.T, cmd *exec.Cmd, columns, rows uint16) *console {
	t.Helper()
	screen := terminaltest.OpenScreen(t, columns, rows)
	c := &console{screen, t, cmd, screen.Start(cmd)}
	c.status("idle|thinking|working|waiting for you")
	return c
}

// status waits until the last row has a status.
func (c *console) status(pattern string) {
	c.t.Helper()
	c.Wait(`(` + pattern + `).*\n\z`)
}

// send types a text and presses Enter.
func (c *console) send(text string) {
	c.t.Helper()
	c.Press(text)
	c.Wait(regexp.QuoteMeta(text[max(0, len(text)-20):]))
	c.Press("enter")
}

// guard is how long an approval ignores keys after it has appeared, at most.
const guard = 300 * time.Millisecond

// answer presses the key of an approval, once and after its guard: a second press could come after the answer, and would be text of
// the input or answer the next approval.
func (c *console) answer(key, pattern string) {
	c.t.Helper()
	c.Wait("y Allow once")
	<-time.NewTimer(guard).C
	c.Press(key)
	c.Wait(pattern)
}

// session matches the ids that are made up for sessions.
var session = regexp.MustCompile(`parley tui --resume (\S+)`)

// leave leaves the idle console, checks that the terminal is as before, and returns what was printed.
func (c *console) leave() string {
	c.t.Helper()
	c.Press("ctrl+c")
	c.Wait("Press ctrl\\+c again to leave")
	c.Press("ctrl+c")
	return c.left(0)
}

// left waits for the end of the console, checks that the terminal is as before, and returns what was printed.
func (c *console) left(code int) string {
	c.t.Helper()
	if got := c.exit(); got != code {
		c.t.Errorf("exit %d, want %d", got, code)
	}
	c.Written()
	if state := c.State(); state.Alternate || !state.Cursor || state.Modes != "" {
		c.t.Errorf("the terminal is left as %+v", state)
	}
	if title := c.Title(); title != "" {
		c.t.Errorf("the title is left as %q", title)
	}
	return c.Text()
}

// resumed returns the id of the session that a console has printed at its end.
func resumed(t *testing.T, text string) string {
	t.Helper()
	match := session.FindStringSubmatch(text)
	if match == nil {
		t.Fatalf("no session is named:\n%s", text)
	}
	return match[1]
}

// A server is parley serve.
type server struct {
	process *stage.Process
	Socket  string   `json:"socket"`
	URLs    []string `json:"urls"`
	Token   string   `json:"token_file"`
}

// serve starts a host and waits until clients can connect.
func serve(t *testing.T, p *stage.Place, args ...string) *server {
	t.Helper()
	h := &server{process: stage.Launch(t, p.Command(t, append([]string{"serve", "--json"}, args...)...))}
	line, err := bufio.NewReader(h.process.Stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, h)
	}
	if err != nil {
		t.Fatalf("the host does not start: %v: %s", err, h.process.Stderr)
	}
	return h
}

// dial connects another client to a host.
func (h *server) dial(t *testing.T, name string) (context.Context, *client.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stage.Patience)
	t.Cleanup(cancel)
	c, err := client.Dial(ctx, "unix:"+h.Socket, client.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return ctx, c
}

// exists waits until a file of the workspace is there, and returns its text.
func exists(t *testing.T, p *stage.Place, name string) string {
	t.Helper()
	var text []byte
	until(t, name+" to be there", func() bool {
		var err error
		text, err = os.ReadFile(filepath.Join(p.Work, name))
		return err == nil
	})
	return string(text)
}

// until polls a condition.
func until(t *testing.T, what string, there func() bool) {
	t.Helper()
	ticks := time.NewTicker(10 * time.Millisecond)
	defer ticks.Stop()
	limit := time.NewTimer(stage.Patience)
	defer limit.Stop()
	for !there() {
		select {
		case <-ticks.C:
		case <-limit.C:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// blocking is a shell command that runs until the file "go" is there.
const blocking = `while ! test -e go; do sleep 0.02; done; echo went`

// picture writes a picture of the screen to the folder of artifacts, if there is one.
func (c *console) picture(name string, palette terminaltest.Palette) {
	c.t.Helper()
	if folder := os.Getenv("PARLEY_ARTIFACTS"); folder != "" {
		folder = filepath.Join(folder, "tui")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			c.t.Fatal(err)
		}
		columns, rows := c.Size()
		c.WritePNG(filepath.Join(folder, fmt.Sprintf("%s-%dx%d.png", name, columns, rows)), palette)
	}
}

// lines returns lines of a script that call the tool for shell commands.
func shell(command string) string {
	data, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err) // it is text
	}
	return "call shell " + string(data) + "\nnext\n"
}

// contains reports what of a text is missing.
func (c *console) contains(texts ...string) {
	c.t.Helper()
	screen := c.Text()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			c.t.Errorf("the screen has no %q", text)
		}
	}
}
