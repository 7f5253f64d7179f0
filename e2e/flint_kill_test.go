package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/e2e/stage"
)

// TestFlintKill: a thread that has used everything is killed in the middle of a command.
// Nothing that it started is left, and a fresh process reports the same turns, the killed one as
// interrupted, and goes on.
func TestFlintKill(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the page says hello") }))
	t.Cleanup(page.Close)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	p.Env = []string{"PARLEY_PRIVATE_NETWORK=true"}
	p.Write(t, "a.txt", "alpha\n")
	h := stage.Holding(t, p.Work)
	f := p.flint(t, `think Let me see.
call shell {"command":"echo ran > ran; cat ran; seq 100000"}
expect ran
call edit {"path":"a.txt","old":"alpha","new":"beta"}
call plan {"items":[{"text":"look","status":"completed"},{"text":"work","status":"in_progress"}]}
next
call fetch {"url":"`+page.URL+`"}
expect page says hello
call mcp__tickets__get {"n":7}
expect 7 is open
text All done.
next
text I work.
call shell {"command":"`+stage.Family+`"}
`)
	thread := f.StartThread(fmt.Sprintf(`{"mcpServers":{"tickets":{"command":%q,"env":{%q:%q}}}}`, self, ticketsHold, filepath.Join(p.Work, "hold")))
	f.Begin(thread)
	all := f.Finish()
	first := all[len(all)-1].Params.Turn
	var done []string
	for _, it := range f.Items(first) {
		done = append(done, it.Type+" "+it.Status)
	}
	want := "userMessage ,reasoning ,commandExecution completed,fileChange completed,plan ,dynamicToolCall completed,mcpToolCall completed,agentMessage "
	if got := strings.Join(done, ","); got != want || first.Status != "completed" {
		t.Fatalf("%s: %s\nwant %s", first.Status, got, want)
	}
	if text, err := os.ReadFile(filepath.Join(p.Work, "a.txt")); string(text) != "beta\n" {
		t.Errorf("the file holds %q, %v", text, err)
	}

	second := f.Begin(thread)
	f.Accept(f.UntilMethod("item/commandExecution/requestApproval"))
	h.Started()
	if kept, err := filepath.Glob(filepath.Join(p.State(), "tmp", "*", "outputs-*", "output-1.txt")); len(kept) != 1 {
		t.Errorf("the whole output is not kept: %q, %v", kept, err)
	}
	f.Kill()
	h.WantGone() // the command's family and the tool server
	tick, limit := time.NewTicker(5*time.Millisecond), time.After(stage.Patience)
	defer tick.Stop()
	for left := temporary(t, p); len(left) > 0; left = temporary(t, p) { // the shell that ended them removes folders afterwards
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("%q are left", left)
		}
	}

	f = p.flint(t, "expect go\ntext Here I am.\n")
	turns := f.Resume(thread)
	if len(turns) != 2 {
		t.Fatalf("%d turns are resumed", len(turns))
	}
	if got := f.Turn(turns[0]); fmt.Sprint(got) != fmt.Sprint(first) {
		t.Errorf("the turn was streamed as\n%s\nand is resumed as\n%s", first, got)
	}
	killed := f.Turn(turns[1])
	items := f.Items(killed)
	if killed.ID != second || killed.Status != "interrupted" || len(items) != 3 || items[1].Text != "I work." || items[2].Status != "failed" {
		t.Errorf("the killed turn is resumed as %s", turns[1])
	}
	if items := f.Work(thread); items[len(items)-1].Text != "Here I am." {
		t.Errorf("%+v", items)
	}
	if again := f.Resume(thread); len(again) != 3 || string(again[1]) != string(turns[1]) {
		t.Errorf("the killed turn has changed: %s", again)
	}
	f.Quit()
}

// temporary returns the names of what lies in the folders for temporary files.
func temporary(t *testing.T, p *place) (names []string) {
	t.Helper()
	for _, dir := range []string{p.Temp, filepath.Join(p.State(), "tmp")} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
	}
	return names
}
