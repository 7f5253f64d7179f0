package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// TestStoredPolicy: a session keeps its approvals and its sandbox whatever the options are that another process opens it with, and opening
// it writes nothing.
func TestStoredPolicy(t *testing.T) {
	policies := map[string]ApprovalPolicy{
		"every call": nil, "mode": ApproveByMode{}, "sandbox": ApproveBySandbox{}, "ungranted": ApproveUngranted{Verdict: approval.Allow}, "stored": ApproveStored{},
	}
	readOnly, none := approval.Sandbox{Kind: approval.SandboxReadOnly}, approval.Sandbox{Kind: approval.SandboxNone}
	for name, stored := range map[string]struct {
		settings event.Settings
		asks     bool   // about a write
		profile  string // that made it
	}{
		"always":                  {event.Settings{Asking: approval.AskAlways, Sandbox: none}, true, ""},
		"read-only":               {event.Settings{Asking: approval.AskNever, Sandbox: readOnly}, false, ""},
		"asked":                   {event.Settings{Asking: approval.AskUnlessTrusted, Sandbox: readOnly}, true, ""},
		"refused":                 {event.Settings{Asking: approval.AskAlways, Sandbox: none, RefusedApprovals: []approval.Subject{approval.SubjectSandbox}}, false, ""},
		"unknown":                 {event.Settings{Asking: "of the future", Sandbox: none}, false, ""},
		"mode":                    {event.Settings{Mode: "prompt"}, true, ""},
		"no policy":               {event.Settings{}, true, ""},
		"a foreign one":           {event.Settings{Mode: "of the future"}, true, ""},
		"a mode only shown":       {event.Settings{Mode: "danger-full-access"}, true, "every call"},
		"another mode only shown": {event.Settings{Mode: "workspace-write"}, true, "every call"},
	} {
		for opener, policy := range policies {
			if _, ungranted := policy.(ApproveUngranted); ungranted && stored.settings.Asking == "" && stored.profile == "" {
				continue // it is the options' own choice for sessions without Asking
			}
			t.Run(name+"/"+opener, func(t *testing.T) {
				b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"))
				b.tools["write"] = tool.Write()
				root, o := t.TempDir(), b.options()
				stored.settings.Model, o.Approvals, o.Profile = "test", ApproveStored{}, stored.profile
				host := func() *Host {
					h := b.onDisk(t, root)
					h.cfg.ApproveAll = []string{"every call"}
					return h
				}
				s, err := host().Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: stored.settings}, o)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Save(); err != nil {
					t.Fatal(err)
				}
				head := s.State().Head
				if err := s.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				o.Approvals = policy
				again := b.reopened(t, host(), s.ID(), o)
				if now := again.State().Head; now != head {
					t.Errorf("opening it has written: %d records were %d", now, head)
				}
				client, asked := again.Attach(ClientInfo{}), 0
				records := turnOf(t, again, "go", func(rec event.Record) {
					if e, ok := rec.Event.(event.ApprovalAsked); ok {
						asked++
						if err := client.Answer(e.ID, Decision{}); err != nil {
							t.Error(err)
						}
					}
				})
				if want := map[bool]int{true: 1}[stored.asks]; asked != want {
					t.Errorf("asked %d times, want %d", asked, want)
				}
				if ends := find[event.ToolEnded](records); len(ends) != 1 || ends[0].Outcome != event.Denied {
					t.Errorf("the call: %+v", ends)
				}
			})
		}
	}
}

// TestNoApprover: where no client that is attached can answer an approval, the call is denied at once and says why. One that can is
// waited for until it leaves.
func TestNoApprover(t *testing.T) {
	for name, test := range map[string]struct {
		wait  bool // sessions wait for clients
		other bool // a client that can approve is there, and leaves when it is asked
		alone bool // no client is there
		want  string
	}{
		"alone on a host":        {alone: true, wait: true, want: "no client"},
		"a process":              {want: "no connected client can give one"},
		"a host":                 {wait: true, want: "no connected client can give one"},
		"an approver leaves":     {wait: true, other: true, want: "no connected client can give one"},
		"an approver leaves too": {other: true, want: "no connected client can give one"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"))
				b.tools["write"] = tool.Write()
				h := b.host()
				if test.wait {
					h = b.sharedHost(Sharing{Left: WaitWhenLeft, Wait: time.Hour})
				}
				s := b.create(t, h, func(o *Options) {
					o.Approvals, o.Texts = ApproveEveryCall{}, map[Text]string{TextClientGone: "no client"}
				})
				defer closed(t, s)
				c := s.Join(ClientInfo{Name: "watcher"})
				if !test.alone {
					c = s.Attach(ClientInfo{NoApprovals: true})
				}
				var other *Client
				if test.other {
					other = s.Attach(ClientInfo{NoQuestions: true})
				}
				records, began := follow(t, s), time.Now()
				if _, err := c.Prompt(context.Background(), Prompt{Text: "go"}); err != nil {
					t.Fatal(err)
				}
				turn := untilEnd(t, records, func(rec event.Record) {
					if _, ok := rec.Event.(event.ApprovalAsked); ok && other != nil {
						other.Leave()
					}
				})
				answers := find[event.ApprovalAnswered](turn)
				if len(answers) != 1 || answers[0].Allowed || answers[0].By != event.ByAbsence || !strings.Contains(answers[0].Reason, test.want) {
					t.Errorf("answers: %+v", answers)
				}
				if waited := time.Since(began); waited != 0 != test.alone {
					t.Errorf("it waited %v", waited)
				}
			})
		})
	}
}

// TestJoinLeavesApprovals: a client that can approve nothing does not end what waits for one that can.
func TestJoinLeavesApprovals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"))
		b.tools["write"] = tool.Write()
		s := b.create(t, b.sharedHost(Sharing{Left: WaitWhenLeft, Wait: time.Hour}), func(o *Options) { o.Approvals = ApproveEveryCall{} })
		defer closed(t, s)
		began := time.Now()
		first := s.Attach(ClientInfo{})
		if _, err := first.Prompt(context.Background(), Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		first.Leave()
		second := s.Attach(ClientInfo{NoApprovals: true})
		synctest.Wait()
		if approvals, _ := s.Waiting(); len(approvals) != 1 {
			t.Fatalf("%d approvals wait", len(approvals))
		}
		second.Leave()
		if err := s.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited != time.Hour {
			t.Errorf("it waited %v", waited)
		}
	})
}

// TestContainmentOf: what a session is shown as by protocols with a sandbox allows no more than its mode, and the other way round.
func TestContainmentOf(t *testing.T) {
	var got []string
	for _, mode := range append(slices.Clone(approval.Modes), "") {
		asking, sandbox := ContainmentOf(event.Settings{Mode: string(mode)})
		settings := event.Settings{Mode: string(mode)}
		DecideBySandbox(&settings)
		if settings.Asking != asking || !settings.Sandbox.Equal(sandbox) || settings.Mode != "" {
			t.Errorf("%q becomes %+v", mode, settings)
		}
		back := ModeOf(settings)
		got = append(got, fmt.Sprint(mode, " ", asking, " ", sandbox.Kind, " ", back))
		DecideByMode(&settings, back)
		if settings.Asking != "" || settings.Sandbox.Kind != "" || settings.Mode != string(back) {
			t.Errorf("%q becomes %+v", back, settings)
		}
	}
	want := []string{
		"read-only unless-trusted read-only read-only",
		"plan unless-trusted read-only read-only",
		"workspace-write unless-trusted workspace-write workspace-write",
		"prompt always read-only read-only",
		"danger-full-access never full-access danger-full-access",
		" always read-only read-only",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
