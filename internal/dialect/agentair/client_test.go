package agentair

import (
	"fmt"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/dialecttest"
)

// A client talks to one process, in process.
type client struct {
	*dialecttest.Client
	t testing.TB
}

// dial starts a process with a script for the offline model.
func dial(t testing.TB, serve dialecttest.Server, script string, args ...string) *client {
	t.Helper()
	p := dialecttest.NewPlace(t, t.TempDir(), script)
	return &client{p.Dial(t, serve, append([]string{"agentair"}, args...)...), t}
}

// say sends a message to session 1.
func (c *client) say(sequence int) {
	c.t.Helper()
	c.Send(fmt.Sprintf(`{"session_id":1,"content":"m%d","turn_id":{"role":"User","sequence":%d}}`+"\n", sequence, sequence))
}

// until reads up to the first line that has the text.
func (c *client) until(text string) []string {
	c.t.Helper()
	var all []string
	for {
		line, ok := c.Next()
		if !ok {
			c.t.Fatalf("the output ended after %q, without %s", all, text)
		}
		if all = append(all, line); strings.Contains(line, text) {
			return all
		}
	}
}

// end closes the input, reads what is left, and wants exit code 0.
func (c *client) end() (rest []string) {
	c.t.Helper()
	c.HangUp()
	for line, ok := c.Next(); ok; line, ok = c.Next() {
		rest = append(rest, line)
	}
	if code := c.Over(); code != dialect.ExitOK {
		c.t.Errorf("exit code %d", code)
	}
	return rest
}

// TestQueueBound: 500 messages may wait after a turn, or after a command that waits for it;
// the next is refused, and its number is not used up.
func TestQueueBound(t *testing.T) {
	for name, command := range map[string]string{"turn": "", "command": `{"Compact":{"session_id":1}}` + "\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, watch{t}.serve, "text First\nhang\ntext Second\nhang\n")
			c.say(1)
			c.until("First")
			c.Send(command)
			for i := range queueBound + 1 {
				c.say(2 + i)
			}
			if line, _ := c.Next(); !strings.HasPrefix(line, `{"Error":{"message":"Failed to send message to session`) {
				t.Errorf("%s", line)
			}
			c.Send(`{"Interrupt":{"session_id":1}}` + "\n")
			c.until("Second")
			if command == "" { // else what waits is just moving up
				c.say(queueBound + 2)
				c.say(queueBound + 2)
				if line, _ := c.Next(); !strings.HasPrefix(line, `{"Error":{"message":"Stale`) {
					t.Errorf("%s", line)
				}
			}
			c.Send(`{"Shutdown":{}}` + "\n")
			c.end()
		})
	}
}

// TestAnswerAfterInterrupt: an answer that follows an Interrupt at once is refused, and leaves
// no grant: the same command is asked about again.
func TestAnswerAfterInterrupt(t *testing.T) {
	const single = `{"PermissionResponse":{"tool_use_id":"a","response":{"granted":true,"scope":"Session"}}}`
	const batch = `{"BatchPermissionResponse":{"batch_id":"batch-1","approved_grants":[{"target":{"type":"command","pattern":"*"},"level":"Execute"}]}}`
	for name, test := range map[string]struct{ script, pending, answer string }{
		"single": {"call@a bash {\"command\":\"date >> ran\"}\nnext\ncall@b bash {\"command\":\"date >> ran\"}\n", "PermissionRequired", single},
		"batch": {
			"call@a bash {\"command\":\"date >> ran\"}\ncall@c bash {\"command\":\"date >> run\"}\nnext\ncall@b bash {\"command\":\"date >> ran\"}\n",
			"BatchPermissionRequired", batch,
		},
		"one of a batch": {
			"call@a bash {\"command\":\"date >> ran\"}\ncall@c bash {\"command\":\"date >> run\"}\nnext\ncall@b bash {\"command\":\"date >> ran\"}\n",
			"BatchPermissionRequired", single,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, watch{t}.serve, test.script)
			c.say(1)
			c.until(test.pending)
			c.Send(`{"Interrupt":{"session_id":1}}` + "\n" + test.answer + "\n")
			c.say(2)
			refused := 0
			for _, line := range c.until("PermissionRequired") {
				if strings.HasPrefix(line, `{"Error":{"message":"No pending permission request found`) {
					refused++
				}
			}
			if refused != 1 {
				t.Errorf("%d errors", refused)
			}
			c.Send(`{"Shutdown":{}}` + "\n")
			c.end()
		})
	}
}

// FuzzJunk: any line that is no message is answered with one Error, and a good turn after
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
		c.Send(line + "\n")
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
