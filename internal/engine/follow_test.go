package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

func delta(text string) event.Record {
	return event.Record{Event: event.TextDelta{Message: "m-1", Text: text}}
}

// drain reads everything that a finished follower holds.
func drain(t testing.TB, f *follower) (records []event.Record) {
	t.Helper()
	for {
		rec, ok, err := f.next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return records
		}
		records = append(records, rec)
	}
}

// TestSlowFollower is rule 8: nothing is lost, the order is kept, memory is bounded, for
// deltas that merge, deltas that cannot, and records of any size.
func TestSlowFollower(t *testing.T) {
	f := newFollower([]event.Kind{event.KindTextDelta, event.KindToolOutput})
	var want strings.Builder
	const rounds = 120
	piece := strings.Repeat("é", 500)
	for i := range rounds {
		for range 100 {
			f.push(delta(piece))
			want.WriteString(piece)
		}
		f.push(event.Record{Seq: uint64(i + 1), Event: event.Notice{Code: fmt.Sprint(i)}})
		f.push(event.Record{Event: event.StatusChanged{}}) // not asked for
	}
	f.finish()
	f.mu.Lock()
	held := f.bytes
	f.mu.Unlock()
	if held > queueCap {
		t.Errorf("%d bytes in memory, cap %d", held, queueCap)
	}
	var got strings.Builder
	next := uint64(1)
	for _, rec := range drain(t, f) {
		switch e := rec.Event.(type) {
		case event.TextDelta:
			got.WriteString(e.Text)
		case event.Notice:
			if rec.Seq != next {
				t.Fatalf("record %d, want %d", rec.Seq, next)
			}
			next++
		default:
			t.Fatalf("unexpected %s", e.Kind())
		}
	}
	if got.String() != want.String() || next != rounds+1 {
		t.Errorf("%d bytes of %d, %d records of %d", got.Len(), want.Len(), next-1, rounds)
	}
}

func TestFollowerThatKeepsUpSeesEachDelta(t *testing.T) {
	f := newFollower([]event.Kind{event.KindTextDelta})
	for range mergeFrom {
		f.push(delta("x"))
	}
	f.finish()
	if n := len(drain(t, f)); n != mergeFrom {
		t.Errorf("%d deltas, want %d", n, mergeFrom)
	}
}

// TestFollowFromAnywhere: a follower that comes at any time, from any record, sees every
// durable record behind it once.
func TestFollowFromAnywhere(t *testing.T) {
	big := strings.Repeat("y", 3*outputCap)
	flood := fakeTool{"look", 1, func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: big} }}
	b := newBench(t, []fakeTool{flood}, call(toolCall("c", "look", `{}`)), say("ok"))
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "go", nil))
	head := s.Head()
	for from := range head + 1 {
		next := max(from, 1)
		for rec, err := range s.Follow(t.Context(), from) {
			if err != nil {
				t.Fatal(err)
			}
			if rec.Seq != next {
				t.Fatalf("from %d: record %d, want %d", from, rec.Seq, next)
			}
			if e, ok := rec.Event.(event.ToolEnded); ok && e.Output != big {
				t.Errorf("the output came back with %d bytes", len(e.Output))
			}
			if next++; next > head {
				break
			}
		}
	}
	if e := find[event.ToolEnded](b.store.only().records(false)); e[0].Output != "" || e[0].OutputBlob == "" {
		t.Error("a large output stands in the journal itself")
	}
}

func TestFollowEndsWithTheSession(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	s := b.session(t, nil)
	records := s.Follow(t.Context(), 1)
	go func() { _ = s.Close(context.Background()) }()
	for _, err := range records {
		if err != nil {
			t.Error(err)
		}
	}
	for range s.Follow(t.Context(), s.Head()+1) {
		t.Error("a record of a closed session")
	}
}

func TestImagesAreBlobs(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	s := b.session(t, nil)
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "see", Images: []Image{{MIME: "image/png", Data: []byte("pixels")}}}); err != nil {
		t.Fatal(err)
	}
	shown := find[event.UserMessage](untilEnd(t, records, nil))[0].Blocks[1].Image
	if shown.Blob == "" || shown.Data != nil {
		t.Errorf("shown image = %+v", shown)
	}
	asked := b.requests()[0].Messages[0].Blocks[1]
	if asked.Kind != model.KindImage || string(asked.Image.Data) != "pixels" {
		t.Errorf("the model got %+v", asked.Image)
	}
}
