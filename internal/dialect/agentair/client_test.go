package agentair

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience is how long anything may take that is waited for. Tests never wait for it to pass.
const patience = 20 * time.Second

// A client talks to one process, in process.
type client struct {
	t     testing.TB
	in    *io.PipeWriter
	lines chan string
	code  chan int
}

// A server is serveInProcess, or what watches it.
type server func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int

// dial starts a process with a script for the offline model.
func dial(t testing.TB, serve server, script string, args ...string) *client {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(root, "home", "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "model.script")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + root, "PARLEY_HOME=" + filepath.Join(root, "state"), "PWD=" + work, "LANG=C.UTF-8",
		"PARLEY_MODEL=offline/script", "PARLEY_OFFLINE_SCRIPT=" + path,
	}
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	c := &client{t: t, in: stdin, lines: make(chan string, 16), code: make(chan int, 1)}
	go func() {
		c.code <- serve(context.Background(), append([]string{"agentair"}, args...), in, out, io.Discard, env)
		in.Close()
		out.Close()
	}()
	go func() {
		defer close(c.lines)
		for lines := bufio.NewReader(stdout); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			c.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	return c
}

// send writes text as it is.
func (c *client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Fatalf("write: %v", err)
	}
}

// say sends a message to session 1.
func (c *client) say(sequence int) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"session_id":1,"content":"m%d","turn_id":{"role":"User","sequence":%d}}`+"\n", sequence, sequence))
}

// next is the next line; not ok at the end of the output.
func (c *client) next() (string, bool) {
	c.t.Helper()
	select {
	case line, ok := <-c.lines:
		return line, ok
	case <-time.After(patience):
		c.t.Fatal("nothing comes")
	}
	return "", false
}

// until reads up to the first line that has the text.
func (c *client) until(text string) []string {
	c.t.Helper()
	var all []string
	for {
		line, ok := c.next()
		if !ok {
			c.t.Fatalf("the output ended behind %q, without %s", all, text)
		}
		if all = append(all, line); strings.Contains(line, text) {
			return all
		}
	}
}

// end closes the input, reads what is left, and wants exit code 0.
func (c *client) end() (rest []string) {
	c.t.Helper()
	c.in.Close()
	for line, ok := c.next(); ok; line, ok = c.next() {
		rest = append(rest, line)
	}
	if code := <-c.code; code != ExitOK {
		c.t.Errorf("exit code %d", code)
	}
	return rest
}

// TestQueueBound: 500 messages may wait behind a turn, or behind a command that waits for it;
// the next is refused, and its number is not used up.
func TestQueueBound(t *testing.T) {
	for name, command := range map[string]string{"turn": "", "command": `{"Compact":{"session_id":1}}` + "\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, watch{t}.serve, "text First\nhang\ntext Second\nhang\n")
			c.say(1)
			c.until("First")
			c.send(command)
			for i := range queueBound + 1 {
				c.say(2 + i)
			}
			if line, _ := c.next(); !strings.HasPrefix(line, `{"Error":{"message":"Failed to send message to session`) {
				t.Errorf("%s", line)
			}
			c.send(`{"Interrupt":{"session_id":1}}` + "\n")
			c.until("Second")
			if command == "" { // else what waits is just moving up
				c.say(queueBound + 2)
				c.say(queueBound + 2)
				if line, _ := c.next(); !strings.HasPrefix(line, `{"Error":{"message":"Stale`) {
					t.Errorf("%s", line)
				}
			}
			c.send(`{"Shutdown":{}}` + "\n")
			c.end()
		})
	}
}

// FuzzJunk: any line that is no message is answered with one Error, and a good turn behind
// it is answered as ever.
func FuzzJunk(f *testing.F) {
	for _, line := range refusedShapes {
		f.Add(line.line)
	}
	for _, line := range []string{"junk", `{`, `[]`, `"shutdown"`, `{"session_id":1`, "\xff", `{"a":1,"a":2}`, `{"Interrupt":{"session_id":2}}`} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n") || strings.Trim(line, " \t\r") == "" {
			return
		}
		if _, refused := decode([]byte(line)); refused == nil {
			return
		}
		c := dial(t, serveInProcess, "text Hello.\n")
		c.until("Session 1 created")
		c.send(line + "\n")
		c.say(1)
		all := c.until("Complete")
		if len(all) < 3 || !strings.HasPrefix(all[0], `{"Error":{"message":"Malformed input: `) || strings.HasPrefix(all[1], `{"Error"`) {
			t.Errorf("%q is answered with %q", line, all)
		}
		for _, line := range all {
			if err := checkAsSeed([]byte(line)); err != nil {
				t.Error(err)
			}
		}
		if rest := c.end(); len(rest) > 0 {
			t.Errorf("%q", rest)
		}
	})
}
