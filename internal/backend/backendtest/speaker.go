package backendtest

import (
	"os"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"
)

// A Speaker is an agent that speaks the protocol of a driver. Its methods read and write lines by its Player.
type Speaker interface {
	// Next answers what the driver sends until that is a prompt. False: the input has ended.
	Next() bool
	// Say and Think write a piece of an answer, and of reasoning.
	Say(text string)
	Think(text string)
	// Call begins a call.
	Call(c Call)
	// Ask requests permission for a call, and waits for the answer, or for an interrupt of the turn, which is an answer as well.
	Ask(call string) Answer
	// Output writes more of the output of a call, and End ends it with its whole result: also of a call that was not begun, or has ended.
	Output(call, text string)
	End(call, text string, succeeded bool)
	// Compact reports that the context is being summarised, and that it was.
	Compact(summary string)
	// Steer waits for a prompt into the turn, and returns its text. Agents that cannot be steered are not asked to.
	Steer() string
	// Hang waits for an interrupt of the turn.
	Hang()
	// Stop ends the turn: reason is one of those below. The turn has used 100 tokens of input and 20 of output.
	Stop(reason string)
}

// The reasons of Speaker.Stop. Of agents that do not report StopTokens as such it is StopEnd.
const (
	StopEnd         = "end"
	StopTokens      = "max_tokens"
	StopInterrupted = "interrupted"
	StopFailed      = "failed"
)

// A Call is a call of a tool in a script.
type Call struct {
	ID    string
	Kind  string // execute, with the member command; edit and read, with the member path
	Input jsontext.Value
}

// An Answer is the answer to a request for permission.
type Answer struct {
	Allow  bool
	Cancel bool   // it was withdrawn
	Reason string // of a denial; "": the protocol has none
}

// Main is for TestMain of a driver's package: it runs the tests, or plays an agent where the suite has started the program for that.
func Main(m *testing.M, speak func(*Player) Speaker) {
	if path := os.Getenv(scriptVariable); path != "" {
		p := newPlayer(path)
		p.start()
		for s := speak(p); s.Next(); {
			p.play(s)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
