package dialect

import (
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	"parley.dev/parley/internal/dialect/rights"
)

// A Server handles the lines of one client, one after the other, until its input or output ends
// or Stop is closed. Then it ends what is open.
type Server struct {
	In    io.Reader
	Limit int // bytes of a line
	Out   *Output
	Log   *slog.Logger
	Stop  <-chan struct{}
	// Lock, if not nil, is held while Handle and Finish run.
	Lock sync.Locker
	// Guard answers the lines that the client must not send, which do not reach Handle; nil: there are none.
	Guard *rights.Guard
	// Handle does what a line asks for, and never waits for a turn. It reports whether another
	// line may follow.
	Handle func(line []byte) (more bool)
	// TooLong answers a line over the limit, given its beginning.
	TooLong func(beginning []byte)
	// Panicked notifies the client that Handle, or a goroutine of a Group, has panicked; nil: the protocol has no message for it.
	Panicked func(p any)
	// InputEnded, if not nil, is called when no line will come any more. The connection goes on until
	// it returns.
	InputEnded func()
	// Finish ends the turns and the pumps. No line is handled after it.
	Finish func(End)

	closing atomic.Bool
	begin   sync.Once
	ended   chan int // the exit code, when the connection is to end
}

// An End is how a connection ended.
type End struct {
	By   EndReason
	Code int // the exit code of the reader: ExitInternal if a line caused a panic
}

// An EndReason is what ended a connection.
type EndReason uint8

// The reasons.
const (
	InputEnded EndReason = iota // or Handle reported that no line may follow
	OutputGone                  // the client does not read any more
	Stopped                     // Server.Stop was closed
)

// Graceful reports whether the running turns may come to their end: the client has closed its
// side and nothing else is wrong.
func (e End) Graceful() bool { return e.By == InputEnded && e.Code == ExitOK }

// Run serves until the connection ends, calls Finish, and writes what is left of the output.
func (s *Server) Run() End {
	s.init()
	go func() {
		defer s.Out.Recover()
		code := Input{From: s.In, Limit: s.Limit, Log: s.Log, Handle: s.handle, TooLong: s.TooLong, Panicked: s.Panicked}.Read()
		if s.InputEnded != nil {
			s.InputEnded()
		}
		s.End(code)
	}()
	var end End
	select {
	case end.Code = <-s.ended:
	case <-s.Out.Broken():
		end.Code = ExitInternal
		s.notifyPanic()
	case <-s.Out.Gone():
		end.By = OutputGone
	case <-s.Stop:
		end.By = Stopped
	}
	s.Out.Expire()
	s.Close()
	s.finish(end)
	s.Out.Close()
	select {
	case <-s.Out.Broken():
		end.Code = ExitInternal
	default:
	}
	return end
}

// finish calls Finish after the line that is being handled.
func (s *Server) finish(end End) {
	defer s.Out.Recover()
	if s.Lock != nil {
		s.Lock.Lock()
		defer s.Lock.Unlock()
	}
	s.Finish(end)
}

// notifyPanic notifies the client of a panic, if its protocol has a message for it.
func (s *Server) notifyPanic() {
	defer s.Out.Recover()
	if s.Panicked != nil {
		s.Panicked(s.Out.panicked)
	}
}

func (s *Server) init() { s.begin.Do(func() { s.ended = make(chan int, 1) }) }

// End ends the connection as the end of the input does, with an exit code. Only the first call counts.
func (s *Server) End(code int) {
	s.init()
	select {
	case s.ended <- code:
	default:
	}
}

// Close makes the line that is being handled the last one.
func (s *Server) Close() { s.closing.Store(true) }

// Closing reports whether Close was called, or the connection ends.
func (s *Server) Closing() bool { return s.closing.Load() }

func (s *Server) handle(line []byte) (more bool) {
	defer s.Out.flight.begin(len(line))()
	if s.Lock != nil {
		s.Lock.Lock()
		defer s.Lock.Unlock()
	}
	return !s.Closing() && (!s.Guard.Permits(line) || s.Handle(line))
}
