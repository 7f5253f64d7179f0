package recordtest

import (
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// Answers returns an answer of the model, with what its step begins and ends with.
func Answers(text string, asked ...model.Block) []event.Event {
	a := event.AssistantMessage{Model: "otter-2", Stop: model.StopEnd, Usage: model.Usage{Input: 10, Output: 5, CacheRead: 2}, Cost: 0.5}
	if text != "" {
		a.Blocks = append(a.Blocks, model.TextBlock(text))
	}
	a.Blocks = append(a.Blocks, asked...)
	return []event.Event{event.StepStarted{Step: 1}, a}
}

// Start is when the first record was made.
var Start = time.Date(2026, 4, 5, 10, 20, 30, 0, time.UTC)

// Records returns events as a journal has them, ten milliseconds apart.
func Records(events ...event.Event) []event.Record {
	var all []event.Record
	for i, e := range events {
		all = append(all, event.Record{Seq: uint64(i + 1), Time: Start.Add(time.Duration(i) * 10 * time.Millisecond), Event: e})
	}
	return all
}

// Sequence returns records as a host reads them.
func Sequence(all []event.Record) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for _, rec := range all {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// Pixels returns the blob "there", and nothing else.
func Pixels(address string) ([]byte, error) {
	if address != "there" {
		return nil, errors.New("no such blob")
	}
	return []byte("pixels"), nil
}

// Created begins a journal.
func Created() event.SessionCreated {
	return event.SessionCreated{Version: 1, ID: "15d65af22b6106c4", Workspace: "/home/ana/shop", Settings: event.Settings{Model: "acme/otter-2"}}
}

// Says returns a prompt.
func Says(text string) event.UserMessage {
	return event.UserMessage{ID: "p", Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock(text)}}
}

// Calls returns calls of tools, each its id and its name.
func Calls(calls ...string) (blocks []model.Block) {
	for _, c := range calls {
		id, name, _ := strings.Cut(c, " ")
		blocks = append(blocks, model.Block{Kind: model.KindToolCall, Call: &model.Call{ID: id, Name: name, Input: jsontext.Value(`{"path":"a.go"}`)}})
	}
	return blocks
}

// Intends returns a call of one of our tools.
func Intends(call, name, tool string) event.ToolIntended {
	return event.ToolIntended{Call: event.CallID(call), Name: name, Tool: tool, Input: jsontext.Value(`{"path":"a.go"}`)}
}
