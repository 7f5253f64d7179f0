package dialect

import (
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// TestInFlight: a connection is not read while very many of its lines, or very many bytes of them, are not answered, in each
// way in which a line can be answered later. It goes on after that.
func TestInFlight(t *testing.T) {
	ways := map[string]func(out *Output) (begin func(answer <-chan struct{})){
		"a goroutine": func(out *Output) func(<-chan struct{}) {
			group := NewAnswers(out)
			return func(answer <-chan struct{}) { group.Go(func() { <-answer }) }
		},
		"a reply in its place": func(out *Output) func(<-chan struct{}) {
			replies := NewReplies(out)
			return func(answer <-chan struct{}) {
				place := replies.reserve()
				go func() {
					<-answer
					replies.fill(place, func() [][]byte { return nil })
				}()
			}
		},
		"another host": func(out *Output) func(<-chan struct{}) {
			return func(answer <-chan struct{}) {
				release := out.Hold()
				go func() {
					<-answer
					release()
				}()
			}
		},
	}
	const large = maxInFlightBytes/2 - 1
	tests := map[string]struct {
		lines []int // their sizes
		read  int   // how many are handled before the first is answered
	}{
		"many lines":                       {slices.Repeat([]int{10}, 3*maxInFlight), maxInFlight},
		"many bytes":                       {slices.Repeat([]int{large}, 7), 2},
		"a line over the limit":            {[]int{maxInFlightBytes + 1, 10, 10}, 1},
		"a line over the limit, not alone": {[]int{10, maxInFlightBytes + 1, 10}, 1},
	}
	for way, open := range ways {
		for name, test := range tests {
			t.Run(way+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					log := slog.New(slog.DiscardHandler)
					var in []io.Reader
					for _, size := range test.lines {
						in = append(in, strings.NewReader(strings.Repeat("x", size)+"\n"))
					}
					out := OpenOutput(nil, io.Discard, 100, log)
					begin, answer, handled := open(out), make(chan struct{}), 0
					s := &Server{
						In: io.MultiReader(in...), Limit: 2 * maxInFlightBytes, Out: out, Log: log,
						Handle: func([]byte) bool {
							handled++
							begin(answer)
							return true
						},
						Finish: func(End) {},
					}
					ended := make(chan End)
					go func() { ended <- s.Run() }()
					synctest.Wait()
					if handled != test.read {
						t.Errorf("%d lines are handled, want %d", handled, test.read)
					}
					close(answer)
					if end := <-ended; end.Code != ExitOK || handled != len(test.lines) {
						t.Errorf("ended %+v after %d lines", end, handled)
					}
				})
			})
		}
	}
}

// TestUnsentReplies: replies that wait for an earlier one count, though what has made them has ended.
func TestUnsentReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		out := OpenOutput(nil, io.Discard, 100, log)
		replies, handled := NewReplies(out), 0
		first := replies.reserve()
		for range maxInFlight - 1 {
			replies.Post([]byte("answer"))
		}
		s := &Server{
			In: strings.NewReader("request\n"), Limit: 100, Out: out, Log: log,
			Handle: func([]byte) bool { handled++; return true },
			Finish: func(End) {},
		}
		ended := make(chan End)
		go func() { ended <- s.Run() }()
		synctest.Wait()
		if handled != 0 {
			t.Error("a line is handled")
		}
		replies.fill(first, func() [][]byte { return nil })
		if end := <-ended; end.Code != ExitOK || handled != 1 {
			t.Errorf("ended %+v after %d lines", end, handled)
		}
	})
}
