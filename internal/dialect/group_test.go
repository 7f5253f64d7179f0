package dialect

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"
)

// TestPanicEndsConnection: a panic on any goroutine of a connection, or when it ends, is logged with its stack and ends that
// connection as an internal error, of which its client is notified.
func TestPanicEndsConnection(t *testing.T) {
	for name, test := range map[string]struct {
		begin    func(s *Server)
		finish   func()
		notified bool
	}{
		"a goroutine": {func(s *Server) { NewGroup(s.Out).Go(func() { panic("broken") }) }, func() {}, true},
		"a reply": {func(s *Server) {
			replies := NewReplies(s.Out)
			NewGroup(s.Out).Go(func() { replies.fill(replies.reserve(), func() [][]byte { panic("broken") }) })
		}, func() {}, true},
		"the end of the input": {func(s *Server) {
			s.In, s.InputEnded = strings.NewReader(""), func() { panic("broken") }
		}, func() {}, true},
		"the end": {func(s *Server) { s.In = strings.NewReader("") }, func() { panic("broken") }, false},
		"a wait at the end": {func(s *Server) { s.In = strings.NewReader("") }, func() {
			Await(func() { panic("broken") }, func() {}, nil, nil)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			in, open := io.Pipe()
			defer open.Close()
			notified, finished := false, false
			s := &Server{
				In: in, Limit: 100, Log: slog.New(slog.NewTextHandler(&log, nil)),
				Handle: func([]byte) bool { return true }, Panicked: func(p any) { notified = p == "broken" },
				Finish: func(End) { finished = true; test.finish() },
			}
			s.Out = OpenOutput(in, io.Discard, 100, s.Log)
			test.begin(s)
			if end := s.Run(); end.Code != ExitInternal || !finished || notified != test.notified {
				t.Errorf("ended %+v, finished %t, notified %t", end, finished, notified)
			}
			if !strings.Contains(log.String(), "broken") || !strings.Contains(log.String(), "group_test.go") {
				t.Errorf("the log has %q", log.String())
			}
		})
	}
}

// TestPanickingReply: a reply that panics leaves its place, and the replies after it are sent.
func TestPanickingReply(t *testing.T) {
	out, written := newOutput()
	r := NewReplies(out)
	first, second := r.reserve(), r.reserve()
	r.fill(second, func() [][]byte { return [][]byte{[]byte("second")} })
	func() {
		defer func() { _ = recover() }()
		r.fill(first, func() [][]byte { panic("broken") })
	}()
	r.Post([]byte("third"))
	out.Close()
	if got, want := written.String(), "second\nthird\n"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}
