package screen

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

// sessionRecords returns those of a session with a turn whose approval is denied and one whose approval waits. Each session that it
// returns has the same numbers and ids.
func sessionRecords(t *testing.T, id, word string) (list []record.Record, state record.State) {
	t.Helper()
	s := &recorder{t: t}
	client := record.Peer{N: 3, Name: "parley-console"}
	s.add("", record.SessionCreated{ID: id, Workspace: "/home/me/shop", Settings: record.Settings{Model: "anthropic/claude-sonnet-4-5", Mode: "workspace-write"}})
	for i, turn := range []string{"t-1", "t-2"} {
		approval, call := fmt.Sprintf("a-%d", i+1), fmt.Sprintf("c-%d", i+1)
		input := []byte(`{"command":` + quote("rm "+word) + `}`)
		s.add(turn, record.TurnStarted{Prompt: "p-" + turn})
		s.add(turn, record.UserMessage{ID: "p-" + turn, Via: "prompt", Blocks: []record.Block{{Kind: record.BlockText, Text: "remove " + word}}})
		s.add(turn, record.AssistantMessage{ID: "m-" + turn, Blocks: []record.Block{{Kind: record.BlockText, Text: "I remove **" + word + "**."}}})
		s.add(turn, record.ToolIntended{Call: call, Name: "bash", Tool: "bash", Input: input})
		asked := record.ApprovalAsked{
			ID: approval, Call: call, Mode: "workspace-write", Input: input,
			Request: record.Request{Tool: "bash", Level: "execute", Command: "rm " + word, Dir: "/home/me/shop"},
		}
		s.add(turn, asked)
		if i == 0 {
			s.add(turn, record.ApprovalAnswered{ID: approval, By: "client", Reason: word + " stays", Client: client})
			s.add(turn, record.ToolEnded{Call: call, Outcome: record.CallDenied, Output: word + " stays"})
			s.add(turn, record.TurnEnded{Reason: record.TurnCompleted})
			continue
		}
		state = record.State{
			Session: id, Workspace: "/home/me/shop", Head: uint64(len(s.list)), Turn: turn, Status: record.StatusWaiting,
			Approvals: []record.ApprovalAsked{asked},
		}
	}
	return s.list, state
}

// A recorder numbers events.
type recorder struct {
	t    *testing.T
	list []record.Record
}

func (r *recorder) add(turn string, e record.Event) {
	r.t.Helper()
	data, err := json.Marshal(e)
	if err != nil {
		r.t.Fatal(err)
	}
	r.list = append(r.list, record.Record{Seq: uint64(len(r.list) + 1), Turn: turn, Kind: e.Kind(), Data: data})
}

// TestSwitch: each session is drawn as a new console draws it, also if its items have the keys, versions and ids of those of
// the session before.
func TestSwitch(t *testing.T) {
	words := map[string]string{"s-a": "apples", "s-b": "pears", "s-c": "cherries"}
	withThree := func(_ *Options, h *fakeHost) {
		h.opened, h.pages = map[string]link.Opened{}, map[string][]record.Record{}
		for id, word := range words {
			list, state := sessionRecords(t, id, word)
			h.opened[id], h.pages[id] = link.Opened{ID: id, State: state}, list
		}
	}
	open := func(s *stage, id string) string {
		s.run(s.m.open(id))
		s.pass(guard)
		s.shows("remove "+words[id], "rm "+words[id], words[id]+" stays", "y Allow once")
		return s.m.View().Content
	}
	want := map[string]string{}
	for id := range words {
		want[id] = open(newStage(t, 80, 40, withThree), id)
	}
	s := newStage(t, 80, 40, withThree)
	for _, id := range []string{"s-a", "s-b", "s-c", "s-a", "s-c"} {
		if diff := cmp.Diff(want[id], open(s, id)); diff != "" {
			t.Errorf("%s after another session differs from a new console:\n%s", id, diff)
		}
	}
}

// TestNewSession: a session that begins after /new is drawn as the first one of a console.
func TestNewSession(t *testing.T) {
	const first, second = "how old is the earth?", "how old is the moon?"
	first1 := newStage(t, 80, 24)
	first1.begin(second)
	first1.answer("t-1", "As old as the **earth**.")

	s := newStage(t, 80, 24)
	s.begin(first)
	s.answer("t-1", "Older than **you**.")
	s.write("/new")
	s.press("enter")
	s.seq = 0
	s.begin(second)
	s.answer("t-1", "As old as the **earth**.")
	if diff := cmp.Diff(first1.text(), s.text()); diff != "" {
		t.Errorf("after /new:\n%s", diff)
	}
}

// TestSwitchAnswers: an answer in one session is none in the next one, whose approvals have the same ids; the bell rings
// there too.
func TestSwitchAnswers(t *testing.T) {
	s := waiting(t)
	s.pass(guard)
	s.press("y")
	s.record("t-1", record.ApprovalAnswered{ID: "a-1", Allowed: true, By: "client", Client: record.Peer{N: 3, Name: "phone"}})
	s.lacks("by phone") // this console has answered
	s.answer("t-1", "done")
	s.write("/new")
	s.press("enter")
	s.seq, s.raw = 0, nil
	s.begin("delete it")
	s.approval("t-1", "a-1", "rm -rf build")
	if len(s.raw) == 0 {
		t.Error("the bell has not rung for the approval of the second session")
	}
	s.record("t-1", record.ApprovalAnswered{ID: "a-1", Allowed: true, By: "client", Client: record.Peer{N: 3, Name: "phone"}})
	s.shows("by phone")
}
