package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/model"
)

// largeRecords is how many records the large session has at least.
const largeRecords = 100_000

// writeLarge returns a state folder with the session large, whose last prompt is "prompt N of N".
func writeLarge(t *testing.T) string {
	t.Helper()
	state := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	store, err := file.Open(state, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	began := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	var seq uint64
	next := func(turn event.TurnID, e event.Event) event.Record {
		seq++
		return event.Record{Seq: seq, Time: began.Add(time.Duration(seq) * 10 * time.Millisecond), Turn: turn, Event: e}
	}
	id := event.SessionID("large")
	log, err := store.Create(t.Context(), id, []event.Record{next("", event.SessionCreated{
		Version: 1, ID: id, Workspace: state, Settings: event.Settings{Name: "A long session", Mode: "prompt"}, Profile: "native",
	})})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	const turnRecords = 12
	turns := largeRecords/turnRecords + 1
	output := strings.Repeat("ok  \tshop/internal/cart\t0.012s\n", 12)
	for n := 1; n <= turns; n++ {
		turn, call := event.TurnID(fmt.Sprintf("%012x", n)), event.CallID(fmt.Sprintf("call_%d", n))
		input := jsontext.Value(fmt.Sprintf(`{"command":"go test ./... # %d"}`, n))
		first, second := event.MessageID(fmt.Sprintf("m-%d", 2*n-1)), event.MessageID(fmt.Sprintf("m-%d", 2*n))
		text := func(format string, args ...any) model.Block {
			return model.TextBlock(fmt.Sprintf(format, args...))
		}
		usage := model.Usage{Input: 100, Output: 20}
		head := seq
		err := log.Append(head, []event.Record{
			next(turn, event.TurnStarted{Prompt: event.PromptID(fmt.Sprintf("p-%d", n))}),
			next(turn, event.UserMessage{ID: event.PromptID(fmt.Sprintf("p-%d", n)), Via: event.ByPrompt, Blocks: []model.Block{text("prompt %d of %d", n, turns)}}),
			next(turn, event.StepStarted{Step: 1, Model: "demo"}),
			next(turn, event.AssistantMessage{
				ID: first, Provider: "offline", Model: "demo", Stop: model.StopTools, Usage: usage,
				Blocks: []model.Block{text("I run the tests for the %dth time.", n), model.CallBlock(model.Call{ID: string(call), Name: "shell", Input: input})},
			}),
			next(turn, event.ToolIntended{Call: call, Message: first, Name: "shell", Tool: "shell", Input: input}),
			next(turn, event.ToolStarted{Call: call}),
			next(turn, event.ToolEnded{Call: call, Outcome: event.Succeeded, Output: output, Ran: event.Duration(5 * time.Millisecond)}),
			next(turn, event.StepEnded{Step: 1}),
			next(turn, event.StepStarted{Step: 2, Model: "demo"}),
			next(turn, event.AssistantMessage{
				ID: second, Provider: "offline", Model: "demo", Stop: model.StopEnd, Usage: usage,
				Blocks: []model.Block{text("The tests **pass**: `%d` of %d.\n\n- one\n- two\n", n, turns)},
			}),
			next(turn, event.StepEnded{Step: 2}),
			next(turn, event.TurnEnded{Reason: event.TurnCompleted, Usage: usage, Steps: 2, Rounds: 1, Mutations: []event.Mutation{}, Context: 1000, Window: 100_000}),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return state
}
