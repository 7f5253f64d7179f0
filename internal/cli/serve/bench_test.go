package serve

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/workspace"
)

func benchApp(b *testing.B, home string) *app.App {
	b.Helper()
	s, err := config.Load(configtest.Environment("PARLEY_HOME", home))
	if err != nil {
		b.Fatal(err)
	}
	a, err := cli.Assemble(s)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(a.Close)
	return a
}

// writeSession writes a session of about size bytes: turns of a prompt, a tool call with 20 KB
// of output and an answer, summarised now and then, as a long-lived session would be.
func writeSession(b *testing.B, home string, size int) event.SessionID {
	b.Helper()
	store, err := file.Open(home, file.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	const id = "20260101-000000-abcdef"
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	seq := uint64(0)
	record := func(turn event.TurnID, e event.Event) event.Record {
		seq++
		return event.Record{Seq: seq, Time: now, Turn: turn, Event: e}
	}
	log, err := store.Create(b.Context(), id, []event.Record{record("", event.SessionCreated{Version: 1, ID: id, Workspace: b.TempDir()})})
	if err != nil {
		b.Fatal(err)
	}
	output := strings.Repeat("a line of output that is like many others\n", 500)
	for n := 0; n*len(output) < size; n++ {
		turn := event.TurnID(fmt.Sprintf("%012x", n))
		call := model.Call{ID: fmt.Sprintf("call_%d", n), Name: "read", Input: []byte(`{"path":"a.go"}`)}
		records := []event.Record{
			record(turn, event.TurnStarted{Prompt: event.PromptID(turn)}),
			record(turn, event.UserMessage{ID: event.PromptID(turn), Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock("go on")}}),
			record(turn, event.StepStarted{Step: 1}),
			record(turn, event.AssistantMessage{Blocks: []model.Block{{Kind: model.KindToolCall, Call: &call}}}),
			record(turn, event.ToolIntended{Call: event.CallID(call.ID), Name: "read", Input: call.Input}),
			record(turn, event.ToolStarted{Call: event.CallID(call.ID)}),
			record(turn, event.ToolEnded{Call: event.CallID(call.ID), Outcome: event.Succeeded, Output: output}),
			record(turn, event.StepEnded{Step: 1}),
			record(turn, event.TurnEnded{Reason: event.TurnCompleted}),
		}
		if n%50 == 49 {
			records = append(records, record("", event.Compacted{Reason: event.CompactThreshold, Summary: "much was read"}))
		}
		if err := log.Append(records[0].Seq-1, records); err != nil {
			b.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
	return id
}

// BenchmarkResume opens sessions of growing size; MB-held is what an open one keeps in memory.
func BenchmarkResume(b *testing.B) {
	for _, mb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			home := b.TempDir()
			id := writeSession(b, home, mb<<20)
			a := benchApp(b, home)
			before := heap()
			for b.Loop() {
				s, err := a.Host.Open(b.Context(), id, engine.Defaults())
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				b.ReportMetric(float64(heap()-before)/(1<<20), "MB-held")
				b.StartTimer()
				if err := s.Close(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkIdleSessions measures the memory of one more idle session, of a thousand.
func BenchmarkIdleSessions(b *testing.B) {
	const sessions = 1000
	a, dir := benchApp(b, b.TempDir()), b.TempDir()
	for b.Loop() {
		before := heap()
		for range sessions {
			if _, err := a.Host.Create(b.Context(), engine.NewSession{Workspace: dir}, engine.Defaults()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(heap()-before)/sessions, "B/session")
		if err := a.Host.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// heap returns the bytes in use after a collection.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkAppend is one small record to the journal, and one with a wait for the disk.
func BenchmarkAppend(b *testing.B) {
	for name, sync := range map[string]bool{"write": false, "fsync": true} {
		b.Run(name, func(b *testing.B) {
			store, err := file.Open(b.TempDir(), file.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			log, err := store.Create(b.Context(), "s", []event.Record{{Seq: 1, Event: event.SessionCreated{Version: 1, ID: "s"}}})
			if err != nil {
				b.Fatal(err)
			}
			defer log.Close()
			rec := []event.Record{{Turn: "t", Event: event.ToolStarted{Call: "call_1"}}}
			for b.Loop() {
				rec[0].Seq = log.Head() + 1
				if err := log.Append(log.Head(), rec); err != nil {
					b.Fatal(err)
				}
				if sync {
					if err := log.Sync(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkTurn is a whole turn of the offline demo: prompt, a read tool, an answer, all of
// it journalled and synced.
func BenchmarkTurn(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("alpha\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	a, o := benchApp(b, b.TempDir()), engine.Defaults()
	o.Toolset, o.Compact = app.Toolset(true), engine.WindowShares{Keep: 0.2, Drop: 0.4}
	s, err := a.Host.Create(b.Context(), engine.NewSession{Workspace: dir, Settings: event.Settings{Mode: "danger-full-access"}}, o)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(context.Background())
	for b.Loop() {
		if _, err := s.Join(engine.ClientInfo{}).Prompt(b.Context(), engine.Prompt{Text: "read a.txt"}); err != nil {
			b.Fatal(err)
		}
		if err := s.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Branch(0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEdit is a call that edits a file of 20 KB: with the content before it stored for an undo, and without.
func BenchmarkEdit(b *testing.B) {
	for _, stored := range []bool{false, true} {
		b.Run(fmt.Sprintf("stored=%v", stored), func(b *testing.B) {
			store, err := file.Open(b.TempDir(), file.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			log, err := store.Create(b.Context(), "s", []event.Record{{Seq: 1, Event: event.SessionCreated{Version: 1, ID: "s"}}})
			if err != nil {
				b.Fatal(err)
			}
			defer log.Close()
			w, err := workspace.Open(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			if err := os.WriteFile(filepath.Join(w.Dir(), "f"), []byte("0\n"+strings.Repeat("a line of a file\n", 1200)), 0o600); err != nil {
				b.Fatal(err)
			}
			var hooks tool.Hooks
			if stored {
				hooks.Keep = func(data []byte) string {
					address, err := log.PutBlob(data)
					if err != nil {
						b.Error(err)
					}
					return address
				}
			}
			for n := 0; b.Loop(); n++ {
				call, err := tool.Edit().Prepare(&tool.Env{Workspace: w}, fmt.Appendf(nil, `{"path":"f","old":"%d\na","new":"%d\na"}`, n, n+1))
				if err != nil {
					b.Fatal(err)
				}
				if r := call.Run(b.Context(), hooks); r.IsError {
					b.Fatal(r.Text)
				}
			}
		})
	}
}
