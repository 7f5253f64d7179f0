package backend

import (
	"regexp"
	"strings"
	"testing"
)

// output returns what a command prints, with blanks as one, and whether it succeeds.
func (b *bench) output(args ...string) (text string, ok bool) {
	b.t.Helper()
	cmd := b.Command(b.t, args...)
	out, err := cmd.CombinedOutput()
	return regexp.MustCompile(` +`).ReplaceAllString(string(out), " "), err == nil
}

// TestBackendsList: the list has what is configured and what is wrong with it.
func TestBackendsList(t *testing.T) {
	t.Parallel()
	b := newBench(t, "", nil)
	for _, command := range [][]string{{"backends"}, {"backends", "list"}} {
		text, ok := b.output(command...)
		if !ok || !strings.HasPrefix(text, "BACKEND COMMAND STATE") || !regexp.MustCompile(`(?m)^acp:scripted \S+ default`).MatchString(text) {
			t.Errorf("%v prints %q", command, text)
		}
	}
	text, ok := newBench(t, "", map[string]any{"command": []string{"no-such-agent-here", "acp"}}).output("backends", "list")
	if !ok || !strings.Contains(text, "acp:scripted no-such-agent-here acp the program no-such-agent-here was not found on PATH") {
		t.Errorf("without the program: %q", text)
	}
}

// TestTry: a back end is started, says what it has, and is stopped without a prompt.
func TestTry(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{{"backends", "test", "acp:scripted"}, {"doctor", "--backend", "acp:scripted"}} {
		t.Run(strings.Join(command, " "), func(t *testing.T) {
			b := newBench(t, "", nil)
			text, ok := b.output(command...)
			for _, part := range []string{
				"acp:scripted: scripted 7; session their-1\n", "images in prompts no", "sessions can be resumed yes", "forks no",
				"acp:scripted/fast (in use) Fast", "acp:scripted/deep Deep", "style plain plain, terse",
			} {
				if !ok || !strings.Contains(text, part) {
					t.Errorf("%q is missing in %q", part, text)
				}
			}
			if strings.Contains(b.received(), `"session/prompt"`) {
				t.Error("the agent was prompted")
			}
		})
		t.Run(strings.Join(command, " ")+" without the program", func(t *testing.T) {
			text, ok := newBench(t, "", map[string]any{"command": []string{"no-such-agent-here"}}).output(command...)
			if ok || !strings.Contains(text, "no-such-agent-here was not found on PATH") {
				t.Errorf("succeeds: %t, %q", ok, text)
			}
		})
	}
	text, ok := newBench(t, "", nil).output("doctor", "--backend", "acp:other")
	if ok || !strings.Contains(text, `back end "acp:other" is not configured; known: acp:scripted`) {
		t.Errorf("one that is not configured: succeeds: %t, %q", ok, text)
	}
}

// TestFlagOfOpenedSession: a session of our own loop that is opened with --backend goes on with that agent, which gets what was
// said. It keeps it without the flag.
func TestFlagOfOpenedSession(t *testing.T) {
	t.Parallel()
	b := newBench(t, "say Theirs.", nil)
	call := native(b.Work)
	b.exchange([]string{"rpc"}, [][2]string{
		{call(1, "initialize", `"protocol":1,"client":{"name":"raw"}`), `"id":1`},
		{call(2, "session/create", `"id":"s-1","workspace":"$work"`), `"id":2`},
		{call(3, "session/change", `"session":"s-1","settings":{"model":"offline/demo"}`), `"id":3`},
		{call(4, "session/follow", `"session":"s-1","from":1`), `"id":4`},
		{call(5, "turn/prompt", `"session":"s-1","id":"p-1","blocks":[{"kind":"text","text":"Ours."}]`), `"reason":"completed"`},
	})
	open := [][2]string{
		{call(1, "initialize", `"protocol":1,"client":{"name":"raw"}`), `"id":1`},
		{call(2, "session/open", `"session":"s-1"`), `"id":2`},
	}
	prompt := [2]string{call(5, "turn/prompt", `"session":"s-1","id":"p-2","blocks":[{"kind":"text","text":"Yours."}]`), `"reason":"completed"`}
	state := func(model string) [2]string {
		return [2]string{call(3, "session/state", `"session":"s-1"`), `"model":"` + model + `"`}
	}
	b.exchange([]string{"rpc"}, append(open[:2:2], state("offline/demo")))
	b.exchange([]string{"rpc", "--backend", "acp:scripted"}, append(open[:2:2], state("acp:scripted/default"),
		[2]string{call(4, "session/follow", `"session":"s-1","from":1`), `"id":4`},
		[2]string{prompt[0], `"backend_opened"`}, [2]string{"", prompt[1]}))
	b.exchange([]string{"rpc"}, append(open[:2:2], state("acp:scripted/default")))
	if got := b.received(); !strings.Contains(got, "Ours.") || !strings.Contains(got, "Yours.") {
		t.Errorf("the agent got\n%s", got)
	}
}
