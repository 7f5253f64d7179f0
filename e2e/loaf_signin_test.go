package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"parley.dev/parley/internal/model/modeltest"
)

// signIn signs in by a device code, and returns the events up to its end.
func (l *loaf) signIn() []loafLine {
	l.t.Helper()
	l.ask("auth.connect.openai", map[string]any{"mode": "device_code"})
	return l.until("the end of the sign-in", func(line loafLine) bool {
		return line.Method == "auth.flow.completed" || line.Method == "auth.flow.failed"
	})
}

// signedIn asks whether somebody is.
func (l *loaf) signedIn() bool {
	l.t.Helper()
	var status struct {
		Token bool `json:"has_openai_token"`
	}
	l.result(&status, "auth.status", nil)
	return status.Token
}

// useOpenAI selects the backend's model, in a new session.
func (l *loaf) useOpenAI() (session string) {
	l.t.Helper()
	l.result(nil, "model.select", map[string]any{"model_id": modeltest.Model, "provider": "openai", "thinking_level": "OFF"})
	return l.create()
}

// tokensSeen returns the bearers of the requests so far.
func (b *backend) tokensSeen() string {
	var seen []string
	for _, r := range b.Requests() {
		seen = append(seen, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	}
	return strings.Join(seen, " ")
}

// ended returns how a loaf with a log ends: with 0, whatever it has logged.
func (l *loaf) ended() []loafLine {
	l.t.Helper()
	l.stdin.Close()
	var all []loafLine
	for {
		line, ok := l.line()
		if !ok {
			break
		}
		all = append(all, line)
	}
	if code := l.code(); code != 0 {
		l.t.Errorf("exit code %d", code)
	}
	return all
}

func names(lines []loafLine) string {
	var all []string
	for _, line := range lines {
		if line.Method != "" {
			all = append(all, line.Method)
		} else {
			all = append(all, "answer")
		}
	}
	return strings.Join(all, " ")
}

// TestDeviceCodeSignIn: a user types the code, after a while; the model is asked with the
// token, by this process and the next, and with a new one when it is about to expire.
func TestDeviceCodeSignIn(t *testing.T) {
	i := newIssuer(t)
	i.patience = 1
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("a")), modeltest.Stream(modeltest.Text("b")), modeltest.Stream(modeltest.Text("c")))
	p := i.place(t, b)
	l := p.loaf(t)
	l.result(nil, "model.list", nil) // the endpoint is asked without a token
	if l.signedIn() {
		t.Error("somebody is signed in at first")
	}
	told := l.signIn()
	if want := "answer auth.flow.started auth.flow.url auth.flow.device_code auth.flow.completed"; names(told) != want {
		t.Fatalf("there was %s, want %s", names(told), want)
	}
	if got := string(told[0].Result); got != `{"provider":"openai","login_method":"device_code","started":true}` {
		t.Errorf("the answer is %s", got)
	}
	page := i.URL + "/codex/device"
	if code := told[3].Params; told[2].Params.URL != page || code.VerificationURL != page || code.UserCode != "ABCD-1234" {
		t.Errorf("%s, %s", told[2].raw, told[3].raw)
	}
	if told[4].Params.AccountID != "acct_1" || !l.signedIn() {
		t.Errorf("%s", told[4].raw)
	}
	l.say(l.useOpenAI(), "one")
	told = append(told, l.turn()...)
	told = append(told, l.ended()...)
	wantNoSecret(t, p, l, told)

	next := p.loaf(t)
	if !next.signedIn() {
		t.Error("the next process does not know of the sign-in")
	}
	next.say(next.create(), "two")
	told = next.turn()
	i.set(func() { i.lives = 30 })
	told = append(told, next.signIn()...) // another time: the token is nearly over when it comes
	next.say(next.create(), "three")
	told = append(told, next.turn()...)
	if got, want := b.tokensSeen(), fmt.Sprintf("access-1-%[1]s access-1-%[1]s access-3-%[1]s", secretMark); got != want {
		t.Errorf("the model was asked with %s, want %s", got, want)
	}
	next.result(nil, "command.execute", map[string]string{"session_id": next.create(), "raw_command": "/forgeteverything"})
	if next.signedIn() {
		t.Error("somebody is signed in still")
	}
	told = append(told, next.ended()...)
	wantNoSecret(t, p, next, told)
}

// TestDeniedSignIn: who says no ends the sign-in, with a reason and without a trace, and can
// say yes later.
func TestDeniedSignIn(t *testing.T) {
	i := newIssuer(t)
	i.deny = true
	p := i.place(t, newBackend(t, modeltest.OpenAIChat))
	l := p.loaf(t)
	told := l.signIn()
	if end := told[len(told)-1]; end.Method != "auth.flow.failed" || !strings.HasPrefix(end.Params.Text, "Device code poll failed (400): ") || l.signedIn() {
		t.Errorf("%s", end.raw)
	}
	waited := l.call("auth.connect.openai", map[string]any{"mode": "device_code", "wait": true})
	if waited.Error == nil || waited.Error.Code != -32603 || !strings.HasPrefix(waited.Error.Message, "Device code poll failed (400): ") {
		t.Errorf("who waits is told %s", waited.raw)
	}
	i.set(func() { i.deny = false })
	waited = l.call("auth.connect.openai", map[string]any{"mode": "device_code", "wait": true})
	if got := string(waited.Result); got != `{"provider":"openai","login_method":"device_code","account_id":"acct_1"}` {
		t.Errorf("who waits is told %s", waited.raw)
	}
	wantNoSecret(t, p, l, append(told, l.ended()...))
}

// TestSignInUnderWay: there is one at a time, and the end of the process is its end.
func TestSignInUnderWay(t *testing.T) {
	i := newIssuer(t)
	i.patience = 1000
	p := i.place(t, newBackend(t, modeltest.OpenAIChat))
	l := p.loaf(t)
	l.ask("auth.connect.openai", map[string]any{"mode": "device_code"})
	l.untilEvent("auth.flow.device_code")
	second := l.call("auth.connect.openai", map[string]any{"mode": "browser"})
	if second.Error == nil || second.Error.Code != -32000 || second.Error.Data.Reason != "auth_in_progress" {
		t.Errorf("%s", second.raw)
	}
	l.result(nil, "system.ping", nil)
	last := l.ask("system.shutdown", nil)
	told := l.ended()
	if len(told) == 0 || string(told[len(told)-1].ID) != last {
		t.Errorf("the last line is not the answer to the shutdown: %s", names(told))
	}
	wantNoSecret(t, p, l, told)
	if next := p.loaf(t); next.signedIn() {
		t.Error("somebody is signed in")
	}
}

// TestBrowserSignIn: the browser comes back with a code; with a wrong state, or from the
// page's way out, nobody is signed in.
func TestBrowserSignIn(t *testing.T) {
	for name, test := range map[string]struct {
		visit   func(back *url.URL, state string) *url.URL
		failure string // "": none
	}{
		"agreed": {func(back *url.URL, state string) *url.URL {
			return withQuery(back, "code", "code-"+secretMark, "state", state)
		}, ""},
		"wrong state": {func(back *url.URL, _ string) *url.URL {
			return withQuery(back, "code", "code-"+secretMark, "state", "x")
		}, "OAuth login failed: state mismatch."},
		"denied": {func(back *url.URL, state string) *url.URL {
			return withQuery(back, "error", "access_denied", "error_description", "Not today", "state", state)
		}, "OAuth login failed: Not today"},
		"cancelled": {func(back *url.URL, _ string) *url.URL { return back.ResolveReference(&url.URL{Path: "/cancel"}) }, "OAuth login cancelled."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newIssuer(t)
			b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("a")))
			p := i.place(t, b)
			l := p.loaf(t)
			l.ask("auth.connect.openai", map[string]any{"mode": "browser"})
			address, err := url.Parse(l.untilEvent("auth.flow.url").Params.URL)
			if err != nil {
				t.Fatal(err)
			}
			query := address.Query()
			back, err := url.Parse(query.Get("redirect_uri"))
			if err != nil || back.Hostname() != "localhost" || back.Path != "/auth/callback" || query.Get("code_challenge_method") != "S256" || query.Get("client_id") != clientID || !strings.HasPrefix(address.String(), i.URL+"/oauth/authorize?") {
				t.Fatalf("the address is %s, %v", address, err)
			}
			i.set(func() { i.challenge = query.Get("code_challenge") })
			page, err := http.Get(test.visit(back, query.Get("state")).String())
			if err != nil {
				t.Fatal(err)
			}
			page.Body.Close()
			told := l.until("the end of the sign-in", func(line loafLine) bool {
				return line.Method == "auth.flow.completed" || line.Method == "auth.flow.failed"
			})
			if end := told[len(told)-1]; end.Params.Text != test.failure || (end.Params.AccountID == "acct_1") != (test.failure == "") {
				t.Errorf("%s", end.raw)
			}
			if test.failure == "" {
				l.say(l.useOpenAI(), "one")
				told = append(told, l.turn()...)
				if got := b.tokensSeen(); got != "access-1-"+secretMark {
					t.Errorf("the model was asked with %s", got)
				}
			} else if l.signedIn() {
				t.Error("somebody is signed in")
			}
			wantNoSecret(t, p, l, append(told, l.ended()...))
		})
	}
}

func withQuery(u *url.URL, pairs ...string) *url.URL {
	with, query := *u, url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	with.RawQuery = query.Encode()
	return &with
}
