package acp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/model"
)

// TestJoinedTurn: on a host a client loads, or resumes, a session in which another client's turn runs: it is sent the open
// call and asked about it, and what follows once.
func TestJoinedTurn(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"session/load", "session/resume"} {
		dir := t.TempDir()
		store, err := file.Open(filepath.Join(dir, "home"), file.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		script := "text I run it.\ncall shell {\"command\":\"touch made\"}\nnext\ntext Done.\n"
		if err := os.WriteFile(filepath.Join(dir, "script"), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		host := hostOf(t, dir, store, &engine.Sharing{Left: engine.WaitWhenLeft})
		defer host.Close(t.Context())
		owner, guest := dialHost(t, host, Flags{Model: "offline/script"}), dialHost(t, host, Flags{})
		defer owner.close()
		s := owner.newIn(dir)
		turn := owner.request("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"go"}]}`, s))
		owner.until(func(f frame) bool { return f.Method == "session/request_permission" }, nil)

		before, after := newClientSession(), newClientSession()
		if f := guest.call(method, loadParams(s, dir), func(f frame) { before.apply(f.Params.Update) }); f.Error != nil {
			t.Fatalf("%s: %+v", method, f.Error)
		}
		ask := guest.until(func(f frame) bool { return f.Method == "session/request_permission" }, func(f frame) { after.apply(f.Params.Update) })
		calls := before.calls
		if method == "session/resume" {
			if len(before.calls)+len(before.texts) > 0 {
				t.Errorf("%s sends %+v", method, before)
			}
			calls = after.calls
		} else if d := cmp.Diff(map[string]string{"agent_message_chunk m-1": "I run it."}, before.texts); d != "" {
			t.Error(d)
		}
		if status := string(calls["call_1"]["status"]); status != `"pending"` {
			t.Errorf("%s: the open call is %s", method, status)
		}
		after = newClientSession()
		guest.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"reject-once"}}}`, ask.ID))
		owner.await(turn, nil)
		guest.call("session/close", fmt.Sprintf(`{"sessionId":%q}`, s), func(f frame) { after.apply(f.Params.Update) })
		if d := cmp.Diff(map[string]string{"agent_message_chunk m-2": "Done."}, after.texts); d != "" {
			t.Errorf("%s: %s", method, d)
		}
		if status := string(after.calls["call_1"]["status"]); status != `"failed"` {
			t.Errorf("%s: in the end the call is %s", method, status)
		}
		guest.close()
	}
}

// TestAnswerUnderWay: the client of which the view has missed pieces of an answer is sent all of it, once: what the journal
// has of it as it grows, and the rest at its end. The next answer is sent as it comes.
func TestAnswerUnderWay(t *testing.T) {
	grew := func(restart bool, block int, thinking bool, text string) event.Event {
		return event.AnswerGrew{Message: "m-1", Restart: restart, Pieces: []event.AnswerPiece{{Block: block, Thinking: thinking, Text: text}}}
	}
	delta := func(message event.MessageID, text string) event.Event {
		return event.TextDelta{Message: message, Block: 1, Text: text}
	}
	answer := func(id event.MessageID, thought, text string) event.Event {
		return event.AssistantMessage{ID: id, Blocks: []model.Block{{Kind: model.KindThinking, Text: thought}, model.TextBlock(text)}}
	}
	begun := []event.Event{event.SessionCreated{}, event.TurnStarted{}, event.StepStarted{Step: 1}} // before the client came
	for name, test := range map[string]struct {
		past, live []event.Event
		want       map[string]string
	}{
		"nothing was recorded": {
			nil,
			[]event.Event{delta("m-1", "cd"), answer("m-1", "Hm.", "abcd")},
			map[string]string{"agent_thought_chunk m-1": "Hm.", "agent_message_chunk m-1": "abcd"},
		},
		"a part was recorded": {
			[]event.Event{grew(true, 0, true, "Hm."), grew(false, 1, false, "ab")},
			[]event.Event{delta("m-1", "d"), grew(false, 1, false, "cd"), delta("m-1", "e"), answer("m-1", "Hm.", "abcde")},
			map[string]string{"agent_thought_chunk m-1": "Hm.", "agent_message_chunk m-1": "abcde"},
		},
		"it is given again": {
			[]event.Event{grew(true, 1, false, "ab")},
			[]event.Event{grew(true, 1, false, "xy"), answer("m-1", "", "xyz")},
			map[string]string{"agent_message_chunk m-1": "ab", "agent_message_chunk m-1.2": "xyz"},
		},
		"then another one": {
			nil,
			[]event.Event{answer("m-1", "", "ab"), event.StepStarted{Step: 2}, delta("m-2", "c"), grew(true, 1, false, "c"), delta("m-2", "d"), answer("m-2", "", "cd")},
			map[string]string{"agent_message_chunk m-1": "ab", "agent_message_chunk m-2": "cd"},
		},
	} {
		var seq uint64
		number := func(events []event.Event) (records []event.Record) {
			for _, e := range events {
				rec := event.Record{Event: e}
				if e.Kind().Durable() {
					seq++
					rec.Seq = seq
				}
				records = append(records, rec)
			}
			return records
		}
		p := newReplayer(&view{})
		got := newClientSession()
		take := func(messages []any) {
			for _, m := range messages {
				if chunk, ok := m.(MessageChunk); ok {
					got.texts[chunk.SessionUpdate+" "+chunk.MessageID] += *chunk.Content.Text
				}
			}
		}
		for _, rec := range number(slices.Concat(begun, test.past)) {
			take(p.fold(rec))
		}
		st := engine.State{}
		st.Turn = "t"
		take(p.finish(st))
		p.view.since = seq
		for _, rec := range number(test.live) {
			take(p.view.render(rec))
		}
		if d := cmp.Diff(test.want, got.texts); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
