package dialect

import (
	"fmt"
	"runtime/debug"
)

// The exit codes of a connection; 2 is a bad command line, 130 an interrupt.
const (
	ExitOK       = 0
	ExitFailed   = 1  // there is no session to serve, a session could not be saved, or the client's end of stdout is gone
	ExitInternal = 70 // a defect of this program
)

// ExitCode is code, or ExitFailed if all was well but the client's end of stdout is gone, or a session could not be saved when
// it was left.
func ExitCode(code int, out *Output) int { return exitCode(code, out.Gone(), out.unsaved.Load()) }

// SavedCode is ExitCode for a protocol whose code does not depend on its output.
func (o *Output) SavedCode(code int) int { return exitCode(code, nil, o.unsaved.Load()) }

func exitCode(code int, gone <-chan struct{}, unsaved bool) int {
	failed := unsaved
	select {
	case <-gone:
		failed = true
	default:
	}
	if failed {
		return max(code, ExitFailed)
	}
	return code
}

// Await calls end, which lets what runs come to its end, and returns after it. If meanwhile one of the
// channels closes, it calls hurry, once. A nil channel never closes. A panic of end is one of Await.
func Await(end, hurry func(), gone, stop <-chan struct{}) {
	idle := make(chan struct{})
	var panicked any
	go func() {
		defer close(idle)
		defer func() {
			if p := recover(); p != nil {
				panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		end()
	}()
	select {
	case <-idle:
	case <-gone:
		hurry()
	case <-stop:
		hurry()
	}
	<-idle
	if panicked != nil {
		panic(panicked)
	}
}
