package flint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/dialect/dialecttest"
)

// TestThreadsInTurn: two processes that have a thread open go on with it in turn, and each sees
// what the other did.
func TestThreadsInTurn(t *testing.T) {
	t.Parallel()
	p := &place{Place: dialecttest.NewPlace(t, t.TempDir(), "text Here.\nnext\ntext There.\n")}
	owner := p.open(t)
	thread := owner.start(`{}`)
	owner.begin(thread, "")
	owner.finish("decline")

	guest := p.open(t)
	if turns := guest.resume(thread, ""); len(turns) != 1 {
		t.Errorf("%d turns", len(turns))
	}
	guest.begin(thread, "")
	guest.finish("decline")
	if m := guest.ask("thread/archive", fmt.Sprintf(`{"threadId":%q}`, thread)); m.Error != nil {
		t.Errorf("archive: %s", m.raw)
	}

	turn := owner.begin(thread, "")
	done := owner.finish("decline") // that of the guest came before the answer
	if got := done[len(done)-1].Params.Turn.ID; got != turn {
		t.Errorf("after the answer with turn %s, turn %s ends", turn, got)
	}
	for name, c := range map[string]*client{"owner": owner, "guest": guest} {
		if turns := c.resume(thread, ""); len(turns) != 3 {
			t.Errorf("%s: %d turns", name, len(turns))
		}
		if code, _ := c.end(); code != 0 {
			t.Errorf("%s: exit code %d", name, code)
		}
	}
}

// resume returns the turns of a thread; more is further members of the params.
func (c *client) resume(thread, more string) []wireTurn {
	c.t.Helper()
	var result struct {
		Thread struct {
			Turns []wireTurn `json:"turns"`
		} `json:"thread"`
	}
	if err := json.Unmarshal(c.call("thread/resume", fmt.Sprintf(`{"threadId":%q%s}`, thread, more)), &result); err != nil {
		c.t.Fatalf("%v", err)
	}
	return result.Thread.Turns
}

// TestThreadOfAnotherProcess: while another process works on a thread, a client that resumes it
// sees that turn to its end, can neither interrupt it nor begin one, and the settings that it
// gives are kept for afterwards.
func TestThreadOfAnotherProcess(t *testing.T) {
	t.Parallel()
	p := &place{Place: dialecttest.NewPlace(t, t.TempDir(), "text Half\nhang\n")}
	owner := p.open(t)
	thread := owner.start(`{"approvalPolicy":"never","sandbox":{"type":"dangerFullAccess"}}`)
	turn := owner.begin(thread, "")
	owner.until(func(m message) bool { return m.Method == "item/agentMessage/delta" })

	guest := p.open(t)
	start := fmt.Sprintf(`{"threadId":%q,"input":[{"type":"text","text":"go"}]}`, thread)
	refused := func(name, params string, code int, begins string) {
		t.Helper()
		m := guest.ask(name, params)
		if m.Error == nil || m.Error.Code != code || !strings.HasPrefix(m.Error.Message, begins) {
			t.Errorf("%s: %s", name, m.raw)
		}
	}
	refused("turn/start", start, CodeTurnInProgress, "Turn already in progress: ")
	overrides := `,"approvalPolicy":"always","sandbox":{"type":"readOnly"},"systemPromptAppend":"Be brief."`
	turns := guest.resume(thread, overrides)
	if len(turns) != 1 || turns[0].ID != turn || turns[0].Status != "inProgress" {
		t.Fatalf("turns %+v", turns)
	}
	given := func() {
		t.Helper()
		read := string(guest.call("config/read", `{}`))
		if !strings.Contains(read, `"approvalPolicy":"always"`) || !strings.Contains(read, `"type":"readOnly"`) {
			t.Errorf("config/read: %s", read)
		}
	}
	given()
	refused("turn/start", start, CodeTurnInProgress, "Turn already in progress: ")
	refused("thread/archive", fmt.Sprintf(`{"threadId":%q}`, thread), CodeTurnInProgress, "Turn already in progress: ")
	interrupt := fmt.Sprintf(`{"threadId":%q,"turnId":%q}`, thread, turn)
	refused("turn/interrupt", interrupt, CodeNotRunning, "The turn runs in another process")

	owner.call("turn/interrupt", interrupt)
	seen := guest.until(func(m message) bool { return m.Method == "turn/completed" })
	if last := seen[len(seen)-1].Params.Turn; last.ID != turn || last.Status != "interrupted" {
		t.Errorf("completed: %+v", last)
	}
	next := guest.begin(thread, "") // its process begins the script anew
	guest.until(func(m message) bool { return m.Method == "item/agentMessage/delta" })
	given()
	guest.call("turn/interrupt", fmt.Sprintf(`{"threadId":%q,"turnId":%q}`, thread, next))
	for _, c := range []*client{owner, guest} {
		if code, _ := c.end(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
}

// TestClientName: other clients and the journal have a client under the name that it has initialized with.
func TestClientName(t *testing.T) {
	p := newPlace(t, t.TempDir(), "text Here.\n")
	c := p.open(t)
	c.begin(c.start(`{}`), "")
	c.finish("decline")
	c.end()
	dialecttest.CheckStored(t, p.Place, `"name":"test"`)
}
