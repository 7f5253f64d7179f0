package sessionlog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/event"
)

// A taken record is what a paced follower got, and when.
type taken struct {
	at   time.Duration // since the beginning
	what string
}

// paced follows f until its end.
func paced(t *testing.T, f *follower, start time.Time) <-chan []taken {
	done := make(chan []taken, 1)
	go func() {
		var all []taken
		for {
			rec, ok, err := f.next(t.Context())
			if err != nil {
				t.Error(err)
			}
			if err != nil || !ok {
				done <- all
				return
			}
			what := string(rec.Event.Kind())
			switch e := rec.Event.(type) {
			case event.TextDelta:
				what = e.Text
			case event.ToolOutput:
				what = string(e.Call) + e.Text
			}
			all = append(all, taken{time.Since(start), what})
		}
	}()
	return done
}

func checkTaken(t *testing.T, got, want []taken) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("taken: %v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("taken: %v, want %v", got, want)
			return
		}
	}
}

func every(gap time.Duration) func() time.Duration { return func() time.Duration { return gap } }

func pacedFollower(gap func() time.Duration) *follower {
	f := newFollower([]event.Kind{event.KindTextDelta, event.KindToolOutput, event.KindStatusChanged})
	f.pace.gap = gap
	return f
}

func TestPace(t *testing.T) {
	const ms = time.Millisecond
	status := event.Record{Event: event.StatusChanged{}}
	durable := event.Record{Seq: 1, Event: event.Notice{}}
	output := func(call event.CallID, text string) event.Record {
		return event.Record{Event: event.ToolOutput{Call: call, Text: text}}
	}
	other := event.Record{Event: event.TextDelta{Message: "m-1", Block: 1, Text: "X"}}
	type push struct {
		at  time.Duration
		rec event.Record
	}
	for _, c := range []struct {
		name string
		gap  time.Duration
		push []push
		end  time.Duration
		want []taken
	}{
		{
			"what comes in the gap merges", 30 * ms,
			[]push{{0, delta("a")}, {1 * ms, delta("b")}, {20 * ms, delta("c")}, {31 * ms, delta("d")}, {100 * ms, delta("e")}},
			200 * ms,
			[]taken{{0, "a"}, {30 * ms, "bc"}, {60 * ms, "d"}, {100 * ms, "e"}},
		},
		{
			"any other record ends the wait", 30 * ms,
			[]push{{0, delta("a")}, {1 * ms, delta("b")}, {2 * ms, durable}, {3 * ms, delta("c")}, {4 * ms, status}, {5 * ms, delta("d")}},
			200 * ms,
			[]taken{{0, "a"}, {2 * ms, "b"}, {2 * ms, "notice"}, {4 * ms, "c"}, {4 * ms, "status_changed"}, {34 * ms, "d"}},
		},
		{
			"a record without deltas goes at once", 30 * ms,
			[]push{{0, delta("a")}, {1 * ms, durable}, {2 * ms, delta("b")}},
			200 * ms,
			[]taken{{0, "a"}, {1 * ms, "notice"}, {30 * ms, "b"}},
		},
		{
			"the end ends the wait", 30 * ms,
			[]push{{0, delta("a")}, {1 * ms, delta("b")}},
			2 * ms,
			[]taken{{0, "a"}, {2 * ms, "b"}},
		},
		{
			"another block waits after", 30 * ms,
			[]push{{0, delta("a")}, {1 * ms, delta("b")}, {2 * ms, other}, {3 * ms, other}},
			200 * ms,
			[]taken{{0, "a"}, {30 * ms, "b"}, {60 * ms, "XX"}},
		},
		{
			"tools side by side", 30 * ms,
			[]push{
				{0, output("a", "1")},
				{1 * ms, output("b", "1")},
				{2 * ms, output("a", "2")},
				{3 * ms, output("b", "2")},
				{4 * ms, output("a", "3")},
				{35 * ms, output("a", "4")},
			},
			200 * ms,
			[]taken{{0, "a1"}, {30 * ms, "b12"}, {60 * ms, "a234"}},
		},
		{
			"no gap", 0,
			[]push{{0, delta("a")}, {1 * ms, delta("b")}, {1 * ms, delta("c")}},
			200 * ms,
			[]taken{{0, "a"}, {1 * ms, "b"}, {1 * ms, "c"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				f := pacedFollower(every(c.gap))
				done := paced(t, f, start)
				for _, p := range c.push {
					<-time.After(time.Until(start.Add(p.at)))
					f.push(p.rec)
					synctest.Wait()
				}
				<-time.After(time.Until(start.Add(c.end)))
				f.finish()
				checkTaken(t, <-done, c.want)
			})
		})
	}
}

// TestPaceIsAsked: gap is called once after each delta.
func TestPaceIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		f := pacedFollower(func() time.Duration { asked++; return time.Duration(asked) * 10 * time.Millisecond })
		start := time.Now()
		done := paced(t, f, start)
		for range 100 {
			f.push(delta("x"))
			<-time.After(time.Millisecond)
		}
		f.finish()
		got := <-done
		for i, at := range []int{0, 10, 30, 60, 100} {
			if i >= len(got) || got[i].at != time.Duration(at)*time.Millisecond {
				t.Fatalf("taken at %v", got)
			}
		}
		if len(got) != 5 || asked != 5 {
			t.Errorf("%d deltas, asked %d times; want 5 and 5", len(got), asked)
		}
	})
}

// TestPaceOfASlowFollower is rule 8 with a pace: nothing is lost and memory is bounded while
// the follower does not read.
func TestPaceOfASlowFollower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := pacedFollower(every(time.Second))
		want, piece := 0, strings.Repeat("x", 1000)
		for i := range 1500 {
			for range 4 {
				f.push(event.Record{Event: event.ToolOutput{Call: event.CallID(fmt.Sprint(i % 7)), Text: piece}})
				want += 1000
			}
			if i%10 == 0 {
				f.push(event.Record{Seq: uint64(i/10 + 1), Event: event.Notice{}})
			}
		}
		if f.bytes > queueCap {
			t.Errorf("%d bytes in memory, cap %d", f.bytes, queueCap)
		}
		f.finish()
		got, seq := 0, uint64(0)
		for _, rec := range drain(t, f) {
			switch e := rec.Event.(type) {
			case event.ToolOutput:
				got += len(e.Text)
			case event.Notice:
				if seq++; rec.Seq != seq {
					t.Fatalf("record %d, want %d", rec.Seq, seq)
				}
			}
		}
		if got != want || seq != 150 || f.pace.others != 0 {
			t.Errorf("%d bytes of %d, %d records, %d left", got, want, seq, f.pace.others)
		}
	})
}

// TestPaceCountsTheRendering: the gap begins when a delta goes, not when the follower is done with it.
func TestPaceCountsTheRendering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := pacedFollower(every(30 * time.Millisecond))
		start := time.Now()
		for _, at := range []time.Duration{0, 30 * time.Millisecond, 60 * time.Millisecond} {
			f.push(delta("x"))
			if _, ok, err := f.next(t.Context()); !ok || err != nil || time.Since(start) != at {
				t.Errorf("%v, %v after %s, want it after %s", ok, err, time.Since(start), at)
			}
			<-time.After(10 * time.Millisecond)
		}
	})
}

// TestPaceCatchesUp: a follower for which records wait on disk is not held back.
func TestPaceCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := pacedFollower(every(time.Hour))
		defer f.close()
		piece := strings.Repeat("x", queueCap/20)
		for block := range 40 { // too much for memory, and nothing merges
			f.push(event.Record{Event: event.TextDelta{Message: "m-1", Block: block, Text: piece}})
		}
		f.push(event.Record{Seq: 1, Event: event.Notice{}})
		start := time.Now()
		for n := 0; ; n++ {
			rec, _, err := f.next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if rec.Seq == 0 {
				continue
			}
			if n != 40 || time.Since(start) != 0 {
				t.Errorf("after %d deltas after %s", n, time.Since(start))
			}
			return
		}
	})
}

var errStopped = errors.New("stopped")

func TestPaceEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := pacedFollower(every(time.Hour))
		ctx, cancel := context.WithCancelCause(t.Context())
		f.push(delta("a"))
		if _, ok, err := f.next(ctx); !ok || err != nil {
			t.Fatal(ok, err)
		}
		f.push(delta("b"))
		go cancel(errStopped)
		if _, _, err := f.next(ctx); !errors.Is(err, errStopped) {
			t.Errorf("the wait ended with %v", err)
		}
	})
}
