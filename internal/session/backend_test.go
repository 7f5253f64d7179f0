package session

import (
	"fmt"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A backendJournal is the records of a session whose turns an agent runs.
type backendJournal struct {
	fold *Fold
	seq  uint64
	turn event.TurnID
}

func newBackendJournal() *backendJournal {
	j := &backendJournal{fold: New()}
	j.add(event.SessionCreated{ID: "s", Settings: event.Settings{Backend: "acp:x"}})
	return j
}

func (j *backendJournal) add(events ...event.Event) {
	for _, e := range events {
		j.seq++
		j.fold.Apply(event.Record{Seq: j.seq, Turn: j.turn, Event: e})
	}
}

// prompt adds what an agent does with a prompt; a prompt that has no answer is one that it may have got.
func (j *backendJournal) prompt(answered bool) {
	j.turn = event.TurnID(fmt.Sprint("t", j.seq))
	j.add(event.TurnStarted{Prompt: event.PromptID(j.turn)}, event.UserMessage{ID: event.PromptID(j.turn), Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock("Go.")}})
	if j.fold.Backend.Session == "" {
		j.add(event.BackendOpened{Backend: "acp:x", Session: "their-" + string(j.turn)})
	}
	j.say("Done.")
	if answered {
		j.add(event.BackendAnswered{Session: j.fold.Backend.Session})
	}
	j.add(event.TurnEnded{Reason: event.TurnCompleted})
	j.turn = ""
}

func (j *backendJournal) say(text string) {
	j.add(event.AssistantMessage{Blocks: []model.Block{model.TextBlock(text)}})
}

// What is known of the agent's session after the history has left a place in it.
func TestBackendSession(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(j *backendJournal)
		want string // the session, "fork" or "resume", and the prompts; "": the agent has to be given the conversation
	}{
		{"three prompts", func(j *backendJournal) {}, "their-t1 resume 3"},
		{"back to before the last prompt", func(j *backendJournal) { j.add(event.Branched{Head: 13}) }, "their-t1 fork 2"},
		{"and then before the second one", func(j *backendJournal) { j.add(event.Branched{Head: 13}, event.Branched{Head: 7}) }, "their-t1 fork 1"},
		{"back to an empty history", func(j *backendJournal) { j.add(event.Branched{}) }, ""},
		{"back to a prompt without its answer", func(j *backendJournal) { j.add(event.Branched{Head: 14}) }, ""},
		{"to where it is", func(j *backendJournal) { j.add(event.Branched{Head: j.fold.Head()}) }, "their-t1 resume 3"},
		{"there and back", func(j *backendJournal) {
			head := j.fold.Head()
			j.add(event.Branched{Head: 13}, event.Branched{Head: head})
		}, ""},
		{"on the copy", func(j *backendJournal) {
			j.add(event.Branched{Head: 13}, event.BackendOpened{Backend: "acp:x", Session: "copy", Resumed: true, Forked: 2})
			j.prompt(true)
		}, "copy resume 3"},
		{"back on the copy", func(j *backendJournal) {
			j.add(event.Branched{Head: 13}, event.BackendOpened{Backend: "acp:x", Session: "copy", Resumed: true, Forked: 2})
			j.prompt(true)
			j.add(event.Branched{Head: 7})
		}, "copy fork 1"},
		{"from the copy to what it does not have", func(j *backendJournal) {
			j.add(event.Branched{Head: 13}, event.BackendOpened{Backend: "acp:x", Session: "copy", Resumed: true, Forked: 2})
			j.prompt(true)
			j.add(event.Branched{Head: 15})
		}, ""},
		{"resumed", func(j *backendJournal) {
			j.add(event.BackendOpened{Backend: "acp:x", Session: "their-t1", Resumed: true}, event.Branched{Head: 13})
		}, "their-t1 fork 2"},
		{"after a prompt that it may not have", func(j *backendJournal) {
			j.prompt(false)
			j.add(event.Branched{Head: 13})
		}, ""},
		{"a steer is no prompt", func(j *backendJournal) {
			j.turn = "steered"
			j.add(event.TurnStarted{Prompt: "p"}, event.UserMessage{ID: "p", Via: event.ByPrompt})
			j.say("Hm.")
			j.add(event.UserMessage{ID: "q", Via: event.BySteer})
			j.say("Ah.")
			j.add(event.BackendAnswered{Session: "their-t1"}, event.TurnEnded{})
			j.turn = ""
		}, "their-t1 resume 4"},
		{"a second prompt of a turn", func(j *backendJournal) {
			j.turn = "long"
			j.add(event.TurnStarted{Prompt: "p"}, event.UserMessage{ID: "p", Via: event.ByPrompt})
			j.say("Hm.")
			head := j.fold.Head()
			j.add(event.BackendAnswered{Session: "their-t1"}, event.UserMessage{ID: "q", Via: event.ByFollowUp})
			j.say("Ah.")
			j.add(event.BackendAnswered{Session: "their-t1"}, event.TurnEnded{}, event.Branched{Head: head})
			j.turn = ""
		}, "their-t1 fork 4"},
		{"a prompt of a hook", func(j *backendJournal) {
			j.turn = "long"
			j.add(event.TurnStarted{Prompt: "p"}, event.UserMessage{ID: "p", Via: event.ByPrompt})
			j.say("Hm.")
			j.add(event.BackendAnswered{Session: "their-t1"}, event.UserMessage{ID: "q", Via: event.ByEngine})
			j.say("Ah.")
			j.add(event.BackendAnswered{Session: "their-t1"}, event.TurnEnded{})
			j.turn = ""
		}, "their-t1 resume 5"},
		{"notes of the engine before a prompt", func(j *backendJournal) {
			head := j.fold.Head()
			j.turn = "noted"
			j.add(event.ContextNote{Topic: event.NotePermissions, Text: "now"}, event.TurnStarted{Prompt: "p"}, event.UserMessage{ID: "p", Via: event.ByPrompt})
			j.say("Hm.")
			j.add(event.BackendAnswered{Session: "their-t1"}, event.TurnEnded{}, event.Branched{Head: head})
			j.turn = ""
		}, "their-t1 fork 3"},
		{"its own compaction", func(j *backendJournal) {
			j.add(event.Compacted{Agent: true, KeptFrom: 3}, event.Branched{Head: 13})
		}, "their-t1 fork 2"},
		{"settings that were changed there and back", func(j *backendJournal) {
			j.add(event.SessionChanged{}, event.SessionChanged{Settings: event.Settings{Backend: "acp:x"}})
		}, "their-t1 resume 3"},
		{"a turn of our own loop", func(j *backendJournal) {
			j.add(event.SessionChanged{})
			j.turn = "own"
			j.add(event.TurnStarted{Prompt: "p"}, event.UserMessage{ID: "p", Via: event.ByPrompt})
			j.say("Hm.")
			j.add(event.TurnEnded{}, event.SessionChanged{Settings: event.Settings{Backend: "acp:x"}})
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := newBackendJournal()
			for range 3 {
				j.prompt(true)
			}
			entries := len(j.fold.Entries)
			test.do(j)
			got, b := "", j.fold.Backend
			if b.Session != "" {
				got = fmt.Sprintf("%s resume %d", b.Session, b.Prompts())
			}
			if b.Fork && b.Forkable() {
				got = fmt.Sprintf("%s fork %d", b.Session, b.Prompts())
			}
			if got != test.want {
				t.Errorf("got %q, want %q; history of %d entries, head %d", got, test.want, entries, j.fold.Head())
			}
		})
	}
}

// A copy of the records of a session does not resume the agent's session of the original.
func TestBackendSessionCopy(t *testing.T) {
	for _, test := range []struct {
		name string
		last func(j *backendJournal)
		want bool // a copy of the agent's session can be made
	}{
		{"after an answer", func(j *backendJournal) {}, true},
		{"in a turn", func(j *backendJournal) {
			j.turn = "cut"
			j.add(event.TurnStarted{Prompt: "p"}, event.UserMessage{ID: "p", Via: event.ByPrompt})
			j.say("Hm.")
			j.add(event.TurnEnded{Reason: event.TurnInterrupted, Recovered: true})
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := newBackendJournal()
			j.turn = "t"
			j.add(event.TurnStarted{Prompt: "p0"}, event.UserMessage{ID: "p0", Via: event.ByPrompt}, event.BackendOpened{Backend: "acp:x", Session: "theirs", Copied: true})
			j.say("Done.")
			j.add(event.BackendAnswered{Session: "theirs"}, event.TurnEnded{})
			test.last(j)
			b := j.fold.Backend
			if !b.Fork || b.Forkable() != test.want || b.Prompts() != 1 {
				t.Errorf("got %+v", b)
			}
			j.add(event.BackendOpened{Backend: "acp:x", Session: "mine"})
			if b := j.fold.Backend; b.Fork || b.Session != "mine" || b.Prompts() != 0 {
				t.Errorf("its own session: %+v", b)
			}
		})
	}
}
