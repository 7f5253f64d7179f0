package screen

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/record"
)

// BenchmarkStream is a second of streaming: 1,000 deltas of an answer in Markdown on a screen of 120 x 40. Its time is
// the part of a processor that streaming takes, without the terminal.
func BenchmarkStream(b *testing.B) {
	words := strings.Fields("The tests of package `shop` **pass**, but the linter reports an unused parameter.\n\n- item\n")
	s := newStage(b, 120, 40)
	s.begin("stream")
	delta := 0
	for b.Loop() {
		frames, last := 0, ""
		end := s.now.Add(time.Second)
		for s.now.Before(end) {
			text := words[delta%len(words)] + " "
			if delta++; delta%60 == 0 {
				text += "\n\n"
			}
			if delta%4000 == 0 {
				s.answer("t-1", "done")
				s.turn("t-1", "go on")
			}
			s.send(Records{"s-1", []record.Record{{Kind: record.KindTextDelta, Turn: "t-1", Data: []byte(`{"message":"m` + strconv.Itoa(delta/4000) + `","text":` + quote(text) + `}`)}}})
			s.pass(time.Millisecond)
			if now := s.m.View().Content; now != last {
				frames, last = frames+1, now
			}
		}
		b.ReportMetric(float64(frames), "frames/s")
	}
}

// BenchmarkKey is a key in a long conversation while an answer streams, up to its frame.
func BenchmarkKey(b *testing.B) {
	s := newStage(b, 120, 40)
	s.begin("stream")
	for i := range 300 {
		turn := "t-" + strconv.Itoa(i)
		s.turn(turn, "again")
		s.answer(turn, strings.Repeat("A paragraph of `code` and **text** that is long enough to be wrapped more than once in a line of the screen.\n\n", 5))
	}
	s.turn("t-x", "last")
	for b.Loop() {
		s.send(Records{"s-1", []record.Record{{Kind: record.KindTextDelta, Turn: "t-x", Data: []byte(`{"message":"m","text":"word "}`)}}})
		s.press("x")
		s.m.View()
		s.press("backspace")
		s.m.View()
	}
}
