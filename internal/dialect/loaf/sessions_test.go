package loaf

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/dialect/dialecttest"
)

// TestManySessions: sessions that stream at the same time each have their own events, all of
// them and in order; the checker looks at the rest.
func TestManySessions(t *testing.T) {
	const sessions, turns = 12, 2
	p := newPlace(t, t.TempDir(), strings.Repeat("repeat 30 text \"crumb \"\nnext\n", sessions*turns))
	c := p.dial(t)
	var ids []string
	for range sessions {
		ids = append(ids, c.create())
	}
	go func() {
		for range turns {
			for _, id := range ids {
				c.ask("session.send", sessionParams(id, `"text":"go","enqueue":true`))
			}
		}
	}()
	answers, ended := map[string]string{}, 0
	for ended < sessions*turns {
		l, ok := c.next()
		if !ok {
			t.Fatal("the output ended")
		}
		switch {
		case isReady(l):
			ended++
		case l.Method == EventStreamChunk:
			var chunk StreamChunk
			if err := json.Unmarshal(l.Params, &chunk); err != nil {
				t.Fatal(err)
			}
			answers[chunk.SessionID] += chunk.Chunk.AnswerText
		}
	}
	for _, id := range ids {
		if want := strings.Repeat("crumb ", 30*turns); answers[id] != want {
			t.Errorf("session %s said %d bytes, want %d", id, len(answers[id]), len(want))
		}
		if st := c.get(id); len(st.History) != 2*turns || st.Pending {
			t.Errorf("session %s has %d messages, pending %v", id, len(st.History), st.Pending)
		}
	}
	c.end()
}

// TestTitlesAreShort wants at most 80 characters of a title.
func TestTitlesAreShort(t *testing.T) {
	p := newPlace(t, t.TempDir(), "text Hi.\n")
	c := p.dial(t)
	var created SessionCreateResult
	c.result(&created, "session.create", `{"title":"`+strings.Repeat("é", 200)+`"}`)
	c.ask("session.send", sessionParams(created.SessionID, `"text":"go"`))
	c.until("ready", isReady)
	var list HistoryListResult
	c.result(&list, "history.list", "")
	if want := strings.Repeat("é", 80); len(list.Sessions) != 1 || list.Sessions[0].Title != want {
		t.Errorf("listed: %+v, want the title %s", list.Sessions, want)
	}
	c.end()
}

// TestClientName: other clients and the journal have a client under the name of its handshake.
func TestClientName(t *testing.T) {
	p := newPlace(t, t.TempDir(), "text One.\nnext\ntext Two.\n")
	c := p.dial(t)
	c.result(nil, "rpc.handshake", `{"client_name":"desk","client_version":"1","protocol_version":"1.0.0"}`)
	c.turn(c.create(), "go")
	c.end()
	dialecttest.CheckStored(t, p.Place, `"name":"desk"`)
}
