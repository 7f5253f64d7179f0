package file_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/model"
)

// toolRound returns the records of one step with one tool call, as an engine writes them: about
// 6 KB, most of it the output of the tool.
func toolRound(n int) []event.Record {
	at := time.Date(2026, 11, 21, 6, 40, 0, n, time.UTC)
	call := event.CallID(fmt.Sprintf("call_%d", n))
	message := event.MessageID(fmt.Sprintf("m%d", n))
	input := jsontext.Value(`{"command":"go test ./internal/journal/...","timeout":120}`)
	output := strings.Repeat("ok  \tparley.dev/parley/internal/journal\t0.004s \"cached\"\n", 80)
	events := []event.Event{
		event.StepStarted{Step: n, Model: "anthropic/claude"},
		event.AssistantMessage{ID: message, Model: "anthropic/claude", Blocks: []model.Block{
			model.TextBlock(strings.Repeat("Let me run the tests to see what fails. ", 20)),
			{Kind: model.KindToolCall, Call: &model.Call{ID: string(call), Name: "bash", Input: input}},
		}},
		event.ToolIntended{Call: call, Message: message, Name: "bash", Tool: "shell", Input: input},
		event.ToolStarted{Call: call},
		event.ToolEnded{Call: call, Outcome: event.Succeeded, Output: output, Ran: 1e9, Shell: &event.ShellRun{Command: "go test ./...", Dir: "/home/ada/engine"}},
		event.StepEnded{Step: n},
	}
	var records []event.Record
	for _, e := range events {
		records = append(records, event.Record{Time: at, Turn: "5be01c77a210", Event: e})
	}
	return records
}

func BenchmarkAppend(b *testing.B) {
	for _, sync := range []bool{false, true} {
		b.Run(fmt.Sprintf("sync=%t", sync), func(b *testing.B) {
			j := createIn(b, openStore(b, b.TempDir()), "a")
			records := toolRound(1)[2:3]
			b.ReportAllocs()
			for b.Loop() {
				if err := j.Append(j.Head(), records); err != nil {
					b.Fatal(err)
				}
				if sync {
					if err := j.Sync(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkResume opens and reads a journal of 100 MB.
func BenchmarkResume(b *testing.B) {
	place := b.TempDir()
	size := writeLong(b, place, "a", 100_000_000)
	b.Run("lease", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			j, err := openStore(b, place).Lease(b.Context(), "a")
			if err != nil {
				b.Fatal(err)
			}
			if err := j.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			for _, err := range openStore(b, place).Read(b.Context(), "a", 0) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// writeLong writes a journal of at least size bytes and returns its size.
func writeLong(tb testing.TB, place string, id event.SessionID, size int64) int64 {
	j := createIn(tb, openStore(tb, place), id)
	path := filepath.Join(place, "sessions", string(id), "journal.jsonl")
	for n := 0; ; n++ {
		if err := j.Append(j.Head(), toolRound(n)); err != nil {
			tb.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil {
			tb.Fatal(err)
		} else if info.Size() >= size {
			if err := j.Close(); err != nil {
				tb.Fatal(err)
			}
			return info.Size()
		}
	}
}

func openStore(tb testing.TB, place string) *file.Store {
	tb.Helper()
	s, err := file.Open(place, file.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// createIn creates a session; its lease is closed at the end of the test.
func createIn(tb testing.TB, s *file.Store, id event.SessionID) journal.Journal {
	tb.Helper()
	first := event.SessionCreated{Version: event.Version, ID: id, Workspace: "/home/ada/engine"}
	j, err := s.Create(tb.Context(), id, []event.Record{{Time: time.Date(2026, 11, 21, 6, 40, 0, 0, time.UTC), Event: first}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := j.Close(); err != nil {
			tb.Error(err)
		}
	})
	return j
}
