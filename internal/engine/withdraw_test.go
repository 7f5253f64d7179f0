package engine

import (
	"context"
	"testing"
	"testing/synctest"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// TestInterruptThenEnd: the interrupt of a client removes the steers of the turn, and the end of the turn names the client, also if the session
// ends before the turn does. The end of a session without an interrupt leaves the steers to the next process.
func TestInterruptThenEnd(t *testing.T) {
	for name, c := range map[string]struct {
		interrupts, endsFirst bool
		steers                int
	}{
		"interrupted": {interrupts: true},
		"interrupted, and ends before the turn does":        {interrupts: true, endsFirst: true},
		"ends, and is interrupted after that, by no client": {endsFirst: true, steers: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				running, release := make(chan struct{}), make(chan struct{})
				work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
					close(running)
					<-release // whatever happens meanwhile
					return tool.Result{Text: "done"}
				})
				b := newBench(t, []fakeTool{work}, call(toolCall("c", "work", `{}`)))
				s := saved(t, b, func(o *Options, _ *event.Settings) { o.SecondPrompt, o.Steers = SteerSecond, SteerRunningTurn })
				client := s.Attach(ClientInfo{Name: "ed"})
				for _, text := range []string{"go", "and more"} {
					if _, err := client.Submit(t.Context(), Prompt{Text: text}); err != nil {
						t.Fatal(err)
					}
					<-running
				}
				var want event.Client
				if c.interrupts {
					client.Interrupt()
					want = client.Info()
				}
				closing := make(chan error)
				if c.endsFirst {
					go func() { closing <- s.Close(t.Context()) }()
					synctest.Wait()
					if !c.interrupts {
						client.Interrupt() // too late
					}
				}
				close(release)
				if !c.endsFirst {
					_ = s.Wait(t.Context())
					go func() { closing <- s.Close(t.Context()) }()
				}
				if err := <-closing; err != nil {
					t.Fatal(err)
				}
				ends := find[event.TurnEnded](b.store.only().records(true))
				if len(ends) != 1 || ends[0].Reason != event.TurnInterrupted || ends[0].Client != want {
					t.Errorf("the ends are %+v, want one by %+v", ends, want)
				}
				if n := len(s.State().Steering); n != c.steers {
					t.Errorf("%d steers wait, want %d", n, c.steers)
				}
			})
		})
	}
}

// TestWithdraw: a client withdraws what it has queued, and nothing else.
func TestWithdraw(t *testing.T) {
	var s *Session
	talk := func(*Session) {
		one, other := s.Attach(ClientInfo{Name: "one"}), s.Attach(ClientInfo{Name: "other"})
		for _, client := range []*Client{one, other, one} {
			p := Prompt{Text: client.Info().Name}
			if err := client.Steer(t.Context(), p); err != nil {
				t.Error(err)
			}
			if err := client.FollowUp(t.Context(), p); err != nil {
				t.Error(err)
			}
		}
		steers, followUps, err := one.Withdraw()
		if err != nil || len(steers) != 2 || len(followUps) != 2 {
			t.Errorf("Withdraw = %+v, %+v, %v", steers, followUps, err)
		}
		for _, left := range [][]event.Queued{s.State().Steering, s.State().FollowUps} {
			if len(left) != 1 || left[0].Client != other.Info() {
				t.Errorf("there are left %+v", left)
			}
		}
	}
	b := newBench(t, []fakeTool{workTool(func(context.Context, tool.Hooks, string) tool.Result {
		talk(s)
		return tool.Result{Text: "done"}
	})}, call(toolCall("c", "work", `{}`)), say("ok"), say("and"))
	s = b.session(t, nil)
	ended(t, turnOf(t, s, "go", nil))
	equal(t, "the last request", said(b.requests()[2].Messages), []string{"go", "other", "other"})
}
