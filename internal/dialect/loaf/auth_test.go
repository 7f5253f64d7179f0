package loaf

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/signin"
)

// An openDoor is sign-in whose one flow ends when the test says so: with an error, or nil.
type openDoor struct {
	door
	outcome chan error
	busy    bool
	signed  bool
}

func (d *openDoor) SignedIn() bool { return d.signed }

func (d *openDoor) Connect(ctx context.Context, mode AuthMode, _ string, events func(string, any)) (AuthMode, func() (*string, error), error) {
	if d.busy {
		return "", nil, ErrInProgress
	}
	d.busy = true
	var failure error
	done := make(chan struct{})
	go func() {
		defer close(done)
		events(EventAuthStarted, AuthFlowStarted{ProviderOpenAI})
		events(EventAuthURL, AuthFlowURL{ProviderOpenAI, "https://id.example/codex/device"})
		events(EventAuthDeviceCode, AuthFlowDeviceCode{ProviderOpenAI, "https://id.example/codex/device", "ABCD-1234", 5, 900})
		select {
		case failure = <-d.outcome:
		case <-ctx.Done():
			failure = errors.New("sign-in was cancelled")
		}
		if failure != nil {
			events(EventAuthFailed, AuthFlowFailed{ProviderOpenAI, failure.Error()})
			return
		}
		d.signed = true
		account := "acct_1"
		events(EventAuthCompleted, AuthFlowCompleted{ProviderOpenAI, mode, &account})
	}()
	account := "acct_1"
	return mode, func() (*string, error) { <-done; return &account, failure }, nil
}

// TestSignInOrder: who asked for one line gets it at once, and the flow after it; who wants
// everything gets the flow live, and the answer last. `wait` asks for the other.
func TestSignInOrder(t *testing.T) {
	flow := []string{EventAuthStarted, EventAuthURL, EventAuthDeviceCode}
	for name, test := range map[string]struct {
		args    []string
		params  string
		outcome error
		before  []string // events before the answer
		after   []string
		answer  string // a part of it
	}{
		"turn":       {nil, `{"mode":"device_code"}`, nil, nil, append(slices.Clone(flow), EventAuthCompleted), `"started":true`},
		"turn wait":  {nil, `{"mode":"device_code","wait":true}`, nil, append(slices.Clone(flow), EventAuthCompleted), nil, `"account_id":"acct_1"`},
		"turn fails": {nil, `{"mode":"device_code"}`, errors.New("OAuth login cancelled."), nil, append(slices.Clone(flow), EventAuthFailed), `"started":true`},
		"wait fails": {nil, `{"mode":"device_code","wait":true}`, errors.New("OAuth login cancelled."), append(slices.Clone(flow), EventAuthFailed), nil, `OAuth login cancelled.`},
		"all": {
			[]string{"--events", "envelope"},
			`{"mode":"device_code"}`, nil, append(slices.Clone(flow), EventAuthCompleted, EventStateChanged), nil, `"account_id":"acct_1"`,
		},
		"all at once": {
			[]string{"--events", "envelope"},
			`{"mode":"device_code","wait":false}`, nil, nil, append(slices.Clone(flow), EventAuthCompleted, EventStateChanged), `"started":true`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &openDoor{outcome: make(chan error, 1), door: keylessDoor(t)}
			p := newPlace(t, t.TempDir(), "text unused\n")
			p.in = d
			c := p.dial(t, test.args...)
			d.outcome <- test.outcome
			before, response := c.call("auth.connect.openai", test.params)
			checkNames(t, "before the answer", before, test.before)
			if got := string(response.Result) + string(value(response.Error)); !strings.Contains(got, test.answer) {
				t.Errorf("the answer is %s, want %s", got, test.answer)
			}
			var after []wireLine
			if len(test.after) > 0 {
				last := test.after[len(test.after)-1]
				after = c.until(last, func(l wireLine) bool { return strings.Contains(l.Method+string(l.Params), last) })
			}
			checkNames(t, "after the answer", after, test.after)
			if test.outcome == nil {
				var limits LimitsResult
				c.result(&limits, "limits.get", "")
				if limits.OpenAI == nil || limits.OpenAI.OK || limits.OpenAI.Message == "" || limits.Antigravity != nil {
					t.Errorf("limits: %+v", limits)
				}
			}
			if rest := c.end(); len(rest) > 0 {
				t.Errorf("%d lines more: %v", len(rest), events(rest))
			}
		})
	}
}

// checkNames wants events of these types, in either form.
func checkNames(t *testing.T, where string, lines []wireLine, want []string) {
	t.Helper()
	var got []string
	for _, l := range lines {
		name := l.Method
		if name == MethodEvent {
			name = as[EventEnvelope](t, l.Params).Type
		}
		got = append(got, name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s there was %v, want %v", where, got, want)
	}
}

// TestOneSignIn: while a sign-in is under way a second one is refused, and a shutdown ends it: a
// request that waits for it gets an error, and the answer to the shutdown is last.
func TestOneSignIn(t *testing.T) {
	for name, params := range map[string]string{"waiting": `{"mode":"browser","wait":true}`, "answered": `{"mode":"browser"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, t.TempDir(), "text unused\n")
			p.in = &openDoor{outcome: make(chan error), door: keylessDoor(t)}
			c := p.dial(t)
			first := c.ask("auth.connect.openai", params)
			c.until("the code", func(l wireLine) bool { return l.Method == EventAuthDeviceCode })
			_, second := c.call("auth.connect.openai", params)
			if second.Error == nil || second.Error.Code != CodeServerError || second.Error.Data.Reason != ReasonAuthInProgress {
				t.Errorf("the second was answered with %+v", second.Error)
			}
			last := c.ask("system.shutdown", `{}`)
			lines := c.rest()
			if len(lines) == 0 || string(lines[len(lines)-1].ID) != last {
				t.Fatalf("the last of %d lines is not the answer to the shutdown", len(lines))
			}
			answered := slices.ContainsFunc(lines, func(l wireLine) bool {
				return string(l.ID) == first && l.Error != nil && l.Error.Data.Reason == ReasonShuttingDown
			})
			if answered != (name == "waiting") {
				t.Errorf("the waiting request was answered: %v", answered)
			}
		})
	}
}

// TestHasOpenAIToken wants a key of OpenAI to count as a sign-in, so that clients do not start one.
func TestHasOpenAIToken(t *testing.T) {
	for name, key := range map[string]string{"no key": "", "key": "sk-x"} {
		t.Run(name, func(t *testing.T) {
			d := keylessDoor(t)
			if key != "" {
				if err := d.SetKey("openai", key); err != nil {
					t.Fatal(err)
				}
			}
			p := newPlace(t, t.TempDir(), "text unused\n")
			p.in = d
			c := p.dial(t)
			var state State
			c.result(&state, "state.get", "")
			var status AuthStatus
			c.result(&status, "auth.status", "")
			if want := key != ""; state.Auth.HasOpenAIToken != want || status.HasOpenAIToken != want {
				t.Errorf("state.get has %v and auth.status %v, want %v", state.Auth.HasOpenAIToken, status.HasOpenAIToken, want)
			}
			c.end()
		})
	}
}

// keylessDoor keeps keys in a folder of the test, and has none.
func keylessDoor(t *testing.T) door {
	store := signin.NewStore(signin.StoreOptions{Folder: t.TempDir(), File: true})
	manager := signin.New(signin.Options{Store: store})
	t.Cleanup(manager.Close)
	return door{manager}
}
