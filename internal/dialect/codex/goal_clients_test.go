package codex

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
)

// serveTogether returns a server whose connections share their threads, as those of a socket do.
func serveTogether(t *testing.T, place *dialecttest.Place) dialecttest.Server {
	t.Helper()
	p, err := dialecttest.Open(place.Env, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	config := p.Config(dialecttest.NewModels(p.Getenv), nil)
	config.Sharing = Sharing()
	host, process := engine.NewHost(config), NewProcess()
	t.Cleanup(func() {
		if err := host.Close(context.Background()); err != nil {
			t.Error(err)
		}
		p.Close()
	})
	flags := DefaultFlags()
	flags.Cwd = place.Work
	return func(ctx context.Context, _ []string, in io.Reader, out, _ io.Writer, _ []string) int {
		return Serve(ctx, Config{
			Host: host, Process: process, In: in, Out: out, Log: slog.New(slog.DiscardHandler), Home: p.Getenv("PARLEY_HOME"), Flags: flags,
			Parts: partsOf(p), Leaves: true,
		})
	}
}

// A goalClient is a client of a thread with a goal.
type goalClient struct {
	*dialecttest.Client
	t *testing.T
}

func dialGoal(t *testing.T, place *dialecttest.Place, serve dialecttest.Server) goalClient {
	c := goalClient{place.Dial(t, serve), t}
	c.request(`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"test","version":"1"},"capabilities":{"experimentalApi":true}}}`)
	return c
}

// A goalLine is what these tests read of a line.
type goalLine struct {
	ID     any    `json:"id"`
	Method string `json:"method"`
	Error  any    `json:"error"`
	Result struct {
		Thread struct {
			ID     string           `json:"id"`
			Status ThreadStatusWord `json:"status"`
		} `json:"thread"`
		Goal ThreadGoal `json:"goal"`
	} `json:"result"`
	Params struct {
		Goal ThreadGoal `json:"goal"`
		Item struct {
			Type     string `json:"type"`
			ClientID string `json:"clientId"`
		} `json:"item"`
	} `json:"params"`
}

// A ThreadStatusWord is the type of a ThreadStatus.
type ThreadStatusWord struct {
	Type string `json:"type"`
}

// next returns the next line.
func (c goalClient) next() (l goalLine) {
	c.t.Helper()
	line, ok := c.Next()
	if err := json.Unmarshal([]byte(line), &l); err != nil || !ok {
		c.t.Fatalf("%s: %v", line, err)
	}
	return l
}

// until returns the next line for which is returns true.
func (c goalClient) until(is func(goalLine) bool) goalLine {
	c.t.Helper()
	for {
		if l := c.next(); is(l) {
			return l
		}
	}
}

// request sends a request and returns the answer.
func (c goalClient) request(line string) goalLine {
	c.t.Helper()
	c.Send(line + "\n")
	return c.until(func(l goalLine) bool { return l.ID != nil })
}

func hasMethod(method string) func(goalLine) bool {
	return func(l goalLine) bool { return l.Method == method }
}

// start makes a thread that needs no approval.
func (c goalClient) start() (thread string) {
	return c.request(`{"id":2,"method":"thread/start","params":{"sandbox":"danger-full-access"}}`).Result.Thread.ID
}

// TestGoalOfTwoClients: a client that joins a thread that works on its goal sees it, and pauses it for both.
func TestGoalOfTwoClients(t *testing.T) {
	place := dialecttest.NewPlace(t, t.TempDir(), `call exec_command {"cmd":"while [ ! -e go ]; do sleep 0.01; done"}`+"\nnext\ntext Unused.\n")
	serve := serveTogether(t, place)
	one, two := dialGoal(t, place, serve), dialGoal(t, place, serve)
	thread := one.start()
	one.request(fmt.Sprintf(`{"id":3,"method":"thread/goal/set","params":{"threadId":%q,"objective":"work"}}`, thread))
	one.until(func(l goalLine) bool { return l.Method == "item/started" && l.Params.Item.Type == "commandExecution" })
	if status := two.request(fmt.Sprintf(`{"id":2,"method":"thread/resume","params":{"threadId":%q}}`, thread)).Result.Thread.Status.Type; status != "active" {
		t.Errorf("the thread is %s", status)
	}
	if g := two.until(hasMethod("thread/goal/updated")).Params.Goal; g.Objective != "work" || g.Status != ThreadGoalStatusActive {
		t.Errorf("joined: %+v", g)
	}
	if g := two.request(fmt.Sprintf(`{"id":3,"method":"thread/goal/set","params":{"threadId":%q,"status":"paused"}}`, thread)).Result.Goal; g.Status != ThreadGoalStatusPaused {
		t.Errorf("paused: %+v", g)
	}
	if g := one.until(hasMethod("thread/goal/updated")).Params.Goal; g.Status != ThreadGoalStatusPaused {
		t.Errorf("the other client: %+v", g)
	}
	if err := os.WriteFile(filepath.Join(place.Work, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []goalClient{one, two} {
		c.until(hasMethod("turn/completed"))
	}
	two.request(fmt.Sprintf(`{"id":4,"method":"thread/goal/clear","params":{"threadId":%q}}`, thread))
	one.until(hasMethod("thread/goal/cleared"))
	for _, c := range []goalClient{one, two} {
		c.HangUp()
		if code := c.Over(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
}

// TestPromptsBesideGoal: two clients prompt a thread whenever a turn ends, which is when its goal begins the next one. Both see
// each prompt once, in the same order.
func TestPromptsBesideGoal(t *testing.T) {
	const prompts = 8 // of each
	place := dialecttest.NewPlace(t, t.TempDir(), strings.Repeat("text Done.\nusage in=10 out=1\nnext\n", 200))
	serve := serveTogether(t, place)
	clients := []goalClient{dialGoal(t, place, serve), dialGoal(t, place, serve)}
	thread := clients[0].start()
	clients[0].request(fmt.Sprintf(`{"id":3,"method":"thread/goal/set","params":{"threadId":%q,"objective":"work","status":"paused","tokenBudget":330}}`, thread))
	clients[1].request(fmt.Sprintf(`{"id":2,"method":"thread/resume","params":{"threadId":%q}}`, thread))
	seen := make([]chan []string, len(clients))
	for i, c := range clients {
		seen[i] = make(chan []string, 1)
		go func() { seen[i] <- c.prompt(thread, i, prompts, len(clients)*prompts) }()
	}
	clients[0].Send(fmt.Sprintf(`{"id":4,"method":"thread/goal/set","params":{"threadId":%q,"status":"active"}}`+"\n", thread))
	first, second := <-seen[0], <-seen[1]
	if !slices.Equal(first, second) || len(first) != len(clients)*prompts {
		t.Errorf("one saw %q, the other %q", first, second)
	}
	slices.Sort(first)
	if len(slices.Compact(first)) != len(clients)*prompts {
		t.Errorf("prompts are missing: %q", first)
	}
	for _, c := range clients {
		c.HangUp()
		c.Over()
	}
}

// prompt prompts whenever a turn ends, and returns the ids of all prompts that it saw when those are all, and the budget of the
// goal is used up.
func (c goalClient) prompt(thread string, client, prompts, all int) (seen []string) {
	sent, over := 0, false
	for len(seen) < all || !over {
		line, ok := c.Next()
		var l goalLine
		if err := json.Unmarshal([]byte(line), &l); err != nil || !ok {
			c.t.Errorf("%s: %v", line, err)
			return seen
		}
		switch {
		case l.Method == "turn/completed" && sent < prompts:
			c.Send(fmt.Sprintf(`{"id":%d,"method":"turn/start","params":{"threadId":%q,"clientUserMessageId":"%d-%d","input":[{"type":"text","text":"hi"}]}}`+"\n", 10+sent, thread, client, sent))
			sent++
		case l.Method == "item/completed" && l.Params.Item.Type == "userMessage":
			seen = append(seen, l.Params.Item.ClientID)
		case l.Method == "thread/goal/updated":
			over = over || l.Params.Goal.Status == ThreadGoalStatusBudgetLimited
		case l.Error != nil:
			c.t.Error(line)
		}
	}
	return seen
}
