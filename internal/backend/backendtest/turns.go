package backendtest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// testAnswers: what an agent reports comes as updates, in its order, with one end; and the next prompt works.
func testAnswers(t *testing.T, s Subject) {
	f := s.fixture(t, `think Let me see.
say I run it.
call c1 execute {"command":"make test"}
ask c1
output c1 ok
end c1 ok
call c2 edit {"path":"a.go"}
ask c2
end c2 changed
say Done.

say Half of it.
stop max_tokens

stop failed

say Again.`)
	a := f.open("")
	if a.ID() == "" || !a.Alive() {
		t.Errorf("the id is %q, alive %v", a.ID(), a.Alive())
	}
	r := f.run(f.ctx, a, nil)
	r.want(t, "thought Let me see.", "text I run it.", "call c1: level execute make test", "ask for c1", "output of c1: ok", "end of c1: ok",
		"call c2: level write a.go", "ask for c2", "end of c2: changed", "text Done.", "end: completed")
	if r.usage.Input != 100 || r.usage.Output != 20 {
		t.Errorf("the turn has used %+v", r.usage)
	}
	r = f.run(f.ctx, a, nil)
	if reason := r.end.Reason; r.err != nil || reason != event.TurnMaxTokens && reason != event.TurnCompleted {
		t.Errorf("the turn ends as %q, %v", reason, r.err)
	}
	r = f.run(f.ctx, a, nil)
	if r.end.Reason != event.TurnFailed || r.end.Failure == nil || r.end.Failure.Backend != Name {
		t.Errorf("the turn ends as %+v", r.end)
	}
	f.run(f.ctx, a, nil).want(t, "text Again.", "end: completed")
	if got := f.received(); strings.Count(got, "Go on.") != 4 {
		t.Errorf("the agent has received\n%s", got)
	}
}

// testPermissions: a call that is denied does not run, the agent goes on, and it receives the reason where its protocol has one.
func testPermissions(t *testing.T, s Subject) {
	f := s.fixture(t, `call c1 execute {"command":"rm -r build"}
ask c1
output c1 never
end c1 never
call c2 execute {"command":"ls"}
ask c2
output c2 a.go
end c2 a.go
say I see.`)
	r := f.run(f.ctx, f.open(""), func(u backend.Update) {
		if ask, ok := u.(backend.Ask); ok {
			ask.Answer(backend.Verdict{Allow: ask.Call == "c2", Reason: "not the build folder"})
		}
	})
	r.want(t, "call c1: level execute rm -r build", "ask for c1", "end of c1: failed",
		"call c2: level execute ls", "ask for c2", "output of c2: a.go", "end of c2: a.go", "text I see.", "end: completed")
	if got := f.received(); s.Reasons != strings.Contains(got, "not the build folder") {
		t.Errorf("the agent has received\n%s", got)
	}
}

// errInterrupt is the cause of interrupts of the suite.
var errInterrupt = errors.New("the user has interrupted")

// testInterrupts: an interrupt ends a turn as interrupted, withdraws what waits, and the agent goes on with the next prompt; one that
// does not react is ended after the grace time.
func testInterrupts(t *testing.T, s Subject) {
	f := s.fixture(t, "say Half\nhang\n\ncall c1 execute {\"command\":\"make\"}\nask c1\nend c1 x\n\nsay Whole.")
	a := f.open("")
	interrupted := func(on func(backend.Update) bool) turn {
		ctx, cancel := context.WithCancelCause(f.ctx)
		defer cancel(nil)
		return f.run(ctx, a, func(u backend.Update) {
			if ask, ok := u.(backend.Ask); ok {
				defer ask.Answer(backend.Verdict{Cancel: true})
			}
			if on(u) {
				cancel(errInterrupt)
			}
		})
	}
	isText := func(u backend.Update) bool { _, ok := u.(backend.Text); return ok }
	interrupted(isText).want(t, "text Half", "end: interrupted")
	r := interrupted(func(u backend.Update) bool { _, ok := u.(backend.Ask); return ok })
	if r.err != nil || r.end.Reason != event.TurnInterrupted {
		t.Errorf("the turn with a request ends as %q, %v", r.end.Reason, r.err)
	}
	f.run(f.ctx, a, nil).want(t, "text Whole.", "end: completed")

	f.grace = 1 // the next process
	id := a.ID()
	a.Close()
	if err := writeScript(f, "say Deaf.\ndeaf"); err != nil {
		t.Fatal(err)
	}
	a = f.open(id)
	if r := interrupted(isText); !errors.Is(r.err, errInterrupt) || a.Alive() {
		t.Errorf("a deaf agent ends as %q, %v, alive %v", r.end.Reason, r.err, a.Alive())
	}
}

// testEnds: an agent whose process ends, or that says nothing, ends the turn with an error that says why, without secrets.
func testEnds(t *testing.T, s Subject) {
	t.Run("death", func(t *testing.T) {
		f := s.fixture(t, "say Half\ncall c1 execute {\"command\":\"make\"}\nexit 3 out of cheese with "+secret)
		a := f.open("")
		r := f.run(f.ctx, a, nil)
		message := wantFailure(t, r.err, backend.CodeGone)
		if !strings.Contains(message, "code 3") || !strings.Contains(message, "out of cheese") || strings.Contains(message, secret) {
			t.Errorf("the message is %q", message)
		}
		if a.Alive() {
			t.Error("the agent is alive")
		}
		wantFailure(t, f.run(f.ctx, a, nil).err, backend.CodeGone)
	})
	t.Run("output", func(t *testing.T) {
		f := s.fixture(t, "say Half\nclose")
		a := f.open("")
		r := f.run(f.ctx, a, nil)
		if message := wantFailure(t, r.err, backend.CodeGone); !strings.Contains(message, "closed its output") {
			t.Errorf("the message is %q", message)
		}
		if a.Alive() {
			t.Error("the agent is alive")
		}
	})
	t.Run("silence", func(t *testing.T) {
		f := s.fixture(t, "deaf")
		f.options.Silence = 1
		a := f.open("")
		wantFailure(t, f.run(f.ctx, a, nil).err, backend.CodeSilent)
		if a.Alive() {
			t.Error("the agent is alive")
		}
	})
	t.Run("close", func(t *testing.T) {
		f := s.fixture(t, "say Half\nhang")
		a := f.open("")
		r := f.run(f.ctx, a, func(u backend.Update) {
			if _, ok := u.(backend.Text); ok {
				go a.Close()
			}
		})
		if r.err == nil || a.Alive() {
			t.Errorf("the turn ends as %q, alive %v", r.end.Reason, a.Alive())
		}
	})
}

// testFaults: what does not fit does no harm.
func testFaults(t *testing.T, s Subject) {
	t.Run("order", func(t *testing.T) {
		f := s.fixture(t, `call c1 execute {"command":"ls"}
ask c1
output c1 a.go
end c1 a.go
end c1 a.go
output c1 more
end c9 nothing
output c8 nothing
say Done.
stop end
stop end

say Again.`)
		a := f.open("")
		r := f.run(f.ctx, a, nil)
		ended := 0
		for _, line := range r.lines {
			if strings.HasPrefix(line, "end of c1") {
				ended++
			}
		}
		if r.end.Reason != event.TurnCompleted || ended != 1 {
			t.Errorf("the call has %d ends, in %q, %v", ended, r.lines, r.err)
		}
		f.run(f.ctx, a, nil).want(t, "text Again.", "end: completed")
	})
	t.Run("noise", func(t *testing.T) {
		f := s.fixture(t, "start\nnoise 9\n\nnoise 50\nsay One.\nnoise 90\nsay Two.\n\nnoise 1000")
		a := f.open("")
		f.run(f.ctx, a, nil).want(t, "text One.Two.", "end: completed")
		wantFailure(t, f.run(f.ctx, a, nil).err, backend.CodeProtocol)
	})
	t.Run("long line", func(t *testing.T) {
		f := s.fixture(t, "long 70000\n\nsay Never.")
		f.maxLine = 64 << 10
		a := f.open("")
		message := wantFailure(t, f.run(f.ctx, a, nil).err, backend.CodeProtocol)
		if !strings.Contains(message, "65536 bytes") || a.Alive() {
			t.Errorf("the message is %q, alive %v", message, a.Alive())
		}
	})
}

// testSteer: a prompt reaches the turn that runs.
func testSteer(t *testing.T, s Subject) {
	f := s.fixture(t, "say One.\nsteer\nsay Three.")
	a := f.open("")
	prompt := backend.Prompt{ID: "p-2", Blocks: []model.Block{model.TextBlock("Two.")}}
	if !a.Info().Steers {
		if err := a.Steer(f.ctx, prompt); !errors.Is(err, backend.ErrUnsupported) {
			t.Errorf("the error is %v", err)
		}
		return
	}
	steered := make(chan error, 1)
	r := f.run(f.ctx, a, func(u backend.Update) {
		if said, ok := u.(backend.Text); ok && said.Text == "One." {
			go func() { steered <- a.Steer(f.ctx, prompt) }()
		}
	})
	r.want(t, "text One.Two.Three.", "end: completed")
	if err := <-steered; err != nil {
		t.Error(err)
	}
	if err := a.Steer(f.ctx, prompt); err == nil {
		t.Error("a prompt is taken where no turn runs")
	}
}
