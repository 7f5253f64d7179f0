package engine

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// TestFollowFromAnywhere: a follower that comes at any time, from any record, sees every
// durable record after it once.
func TestFollowFromAnywhere(t *testing.T) {
	big := strings.Repeat("y", 3*outputCap)
	flood := fakeTool{"look", 1, func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: big} }}
	b := newBench(t, []fakeTool{flood}, call(toolCall("c", "look", `{}`)), say("ok"))
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "go", nil))
	head := s.State().Head
	for from := range head + 1 {
		next := max(from, 1)
		for rec, err := range s.Log().Follow(t.Context(), from) {
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
	records := s.Log().Follow(t.Context(), 1)
	go func() { _ = s.Close(context.Background()) }()
	for _, err := range records {
		if err != nil {
			t.Error(err)
		}
	}
	for range s.Log().Follow(t.Context(), s.State().Head+1) {
		t.Error("a record of a closed session")
	}
}

func TestFollowPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pieces []string
		for range 100 {
			pieces = append(pieces, "word ")
		}
		b := newBench(t, nil, say(pieces...))
		s := b.session(t, nil)
		records := s.Log().FollowPaced(t.Context(), 1, func() time.Duration { return time.Minute }, event.KindTextDelta)
		if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		turn := untilEnd(t, records, nil)
		ended(t, turn)
		if n := len(find[event.TextDelta](turn)); n > 2 || len(text(turn)) != 500 {
			t.Errorf("%d deltas with %d bytes, want at most 2 with 500", n, len(text(turn)))
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("the end of the answer waited %s", took)
		}
	})
}

func TestImagesAreBlobs(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	s := b.session(t, nil)
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "see", Images: []model.Image{{MIME: "image/png", Data: []byte("pixels")}}}); err != nil {
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
