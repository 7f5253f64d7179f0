package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/model"
)

// seeds are state folders with sessions in them, made when they are first needed.
type seeds struct {
	journals map[int]*place // by MB
	lists    map[int]*place // by sessions
	records  map[int]*place // by records
	long     map[int]*place // by records, of 1 KB each
}

const seedID = "20260101-000000-abcdef"

var seedTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// journal returns a place with one session of so many MB, and its id.
func (s *seeds) journal(dir string, mb int) (*place, string, error) {
	if p := s.journals[mb]; p != nil {
		return p, seedID, nil
	}
	p, err := newPlace(dir)
	if err != nil {
		return nil, "", err
	}
	output := strings.Repeat("a line of output that is like many others\n", 500)
	enough := func(_ uint64, turns int) bool { return turns*len(output) >= mb*1_000_000 }
	if err := writeSession(p.state(), p.work, output, enough, nil); err != nil {
		return nil, "", fmt.Errorf("write a session of %d MB: %w", mb, err)
	}
	if s.journals == nil {
		s.journals = map[int]*place{}
	}
	s.journals[mb] = p
	return p, seedID, nil
}

// writeSession writes a session until it is enough: turns of a prompt, a tool call with its output
// and an answer, summed up now and then, as a long-lived session would be. The last records end it.
func writeSession(state, workspace, output string, enough func(head uint64, turns int) bool, last []event.Record) (err error) {
	store, err := file.Open(state, file.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	log, err := store.Create(context.Background(), seedID, []event.Record{{Seq: 1, Time: seedTime, Event: event.SessionCreated{Version: event.Version, ID: seedID, Workspace: workspace}}})
	if err != nil {
		return err
	}
	write := func(records []event.Record) error {
		for i := range records {
			records[i].Time = seedTime
		}
		return log.Append(log.Head(), records)
	}
	for n := 0; !enough(log.Head(), n); n++ {
		if err := write(seedTurn(n, output)); err != nil {
			return err
		}
	}
	if last != nil {
		if err := write(last); err != nil {
			return err
		}
	}
	return log.Close()
}

// ofRecords returns a place with one session of at least so many records, and its id.
func (s *seeds) ofRecords(dir string, n int) (*place, string, error) {
	if p := s.records[n]; p != nil {
		return p, seedID, nil
	}
	p, err := newPlace(dir)
	if err != nil {
		return nil, "", err
	}
	enough := func(head uint64, _ int) bool { return head >= uint64(n) }
	if err := writeSession(p.state(), p.work, strings.Repeat("a line of output\n", 10), enough, nil); err != nil {
		return nil, "", fmt.Errorf("write a session of %d records: %w", n, err)
	}
	if s.records == nil {
		s.records = map[int]*place{}
	}
	s.records[n] = p
	return p, seedID, nil
}

// seedAnswer is the last answer of a session that consoles open.
const seedAnswer = "Everything-is-read."

// ofMany returns a place with one session of at least so many records of 1 KB each, and its id. It ends with seedAnswer.
func (s *seeds) ofMany(dir string, n int) (*place, string, error) {
	if p := s.long[n]; p != nil {
		return p, seedID, nil
	}
	p, err := newPlace(dir)
	if err != nil {
		return nil, "", err
	}
	enough := func(head uint64, _ int) bool { return head >= uint64(n) }
	turn := event.TurnID("ffffffffffff")
	last := []event.Record{
		{Turn: turn, Event: event.TurnStarted{Prompt: event.PromptID(turn)}},
		{Turn: turn, Event: event.UserMessage{ID: event.PromptID(turn), Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock("is that all?")}}},
		{Turn: turn, Event: event.StepStarted{Step: 1}},
		{Turn: turn, Event: event.AssistantMessage{ID: "m-last", Blocks: []model.Block{model.TextBlock(seedAnswer)}}},
		{Turn: turn, Event: event.StepEnded{Step: 1}},
		{Turn: turn, Event: event.TurnEnded{Reason: event.TurnCompleted}},
	}
	if err := writeSession(p.state(), p.work, strings.Repeat("a line of output that is like many others\n", 200), enough, last); err != nil {
		return nil, "", fmt.Errorf("write a session of %d records: %w", n, err)
	}
	if s.long == nil {
		s.long = map[int]*place{}
	}
	s.long[n] = p
	return p, seedID, nil
}

// usedUp removes the place of ofMany whose session has turns of a measurement.
func (s *seeds) usedUp(n int) {
	s.long[n].remove()
	delete(s.long, n)
}

// seedTurn returns the n-th turn.
func seedTurn(n int, output string) []event.Record {
	turn := event.TurnID(fmt.Sprintf("%012x", n))
	call := model.Call{ID: fmt.Sprintf("call_%d", n), Name: "read", Input: []byte(`{"path":"a.go"}`)}
	records := []event.Record{
		{Turn: turn, Event: event.TurnStarted{Prompt: event.PromptID(turn)}},
		{Turn: turn, Event: event.UserMessage{ID: event.PromptID(turn), Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock("go on")}}},
		{Turn: turn, Event: event.StepStarted{Step: 1}},
		{Turn: turn, Event: event.AssistantMessage{ID: event.MessageID(fmt.Sprintf("m%d", n)), Blocks: []model.Block{{Kind: model.KindToolCall, Call: &call}}}},
		{Turn: turn, Event: event.ToolIntended{Call: event.CallID(call.ID), Name: "read", Input: call.Input}},
		{Turn: turn, Event: event.ToolStarted{Call: event.CallID(call.ID)}},
		{Turn: turn, Event: event.ToolEnded{Call: event.CallID(call.ID), Outcome: event.Succeeded, Output: output}},
		{Turn: turn, Event: event.StepEnded{Step: 1}},
		{Turn: turn, Event: event.TurnEnded{Reason: event.TurnCompleted}},
	}
	if n%50 == 49 {
		records = append(records, event.Record{Event: event.Compacted{Reason: event.CompactThreshold, Summary: "much was read"}})
	}
	return records
}

// many returns a place with very many sessions, each of one record.
func (s *seeds) many(dir string, n int) (*place, error) {
	if p := s.lists[n]; p != nil {
		return p, nil
	}
	p, err := newPlace(dir)
	if err != nil {
		return nil, err
	}
	if err := writeMany(p.state(), p.work, n); err != nil {
		return nil, fmt.Errorf("write %d sessions: %w", n, err)
	}
	if s.lists == nil {
		s.lists = map[int]*place{}
	}
	s.lists[n] = p
	return p, nil
}

// writeMany writes journals of one record without waiting for the disk, and their index.
func writeMany(state, workspace string, n int) (err error) {
	store, err := file.Open(state, file.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for i := range n {
		id := event.SessionID(fmt.Sprintf("session-%06d", i))
		line, err := firstLine(event.Record{Seq: 1, Time: seedTime.Add(time.Duration(i) * time.Minute), Event: event.SessionCreated{
			Version: event.Version, ID: id, Workspace: workspace, Settings: event.Settings{Name: fmt.Sprintf("Session %d", i)},
		}})
		if err != nil {
			return err
		}
		folder := filepath.Join(state, "sessions", string(id))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "journal.jsonl"), line, 0o600); err != nil {
			return err
		}
	}
	return store.Rebuild(context.Background())
}

// firstLine returns a record as the first line of a journal, as docs/journal.md has it: with the
// half of a SHA-256 of nothing (16 zeros) and the line.
func firstLine(rec event.Record) ([]byte, error) {
	line, err := rec.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append(make([]byte, sha256.Size/2), line...))
	line = append(line[:len(line)-1], `,"hash":"`...)
	line = hex.AppendEncode(line, sum[:sha256.Size/2])
	return append(line, '"', '}', '\n'), nil
}
