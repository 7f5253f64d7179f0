package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/internal/model/modeltest"
)

// signIn signs in by a device code, and returns the events up to its end.
func signIn(l *client.Loaf) []client.LoafLine {
	l.T.Helper()
	l.Request("auth.connect.openai", map[string]any{"mode": "device_code"})
	return l.ReadTo("the end of the sign-in", func(line client.LoafLine) bool {
		return line.Method == "auth.flow.completed" || line.Method == "auth.flow.failed"
	})
}

// signedIn reports whether a user is signed in.
func signedIn(l *client.Loaf) bool {
	l.T.Helper()
	var status struct {
		Token bool `json:"has_openai_token"`
	}
	l.Result(&status, "auth.status", nil)
	return status.Token
}

// useOpenAI selects the backend's model, in a new session.
func useOpenAI(l *client.Loaf) (session string) {
	l.T.Helper()
	l.Result(nil, "model.select", map[string]any{"model_id": modeltest.Model, "provider": "openai", "thinking_level": "OFF"})
	return l.Create()
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
func ended(l *client.Loaf) []client.LoafLine {
	l.T.Helper()
	l.Stdin.Close()
	var all []client.LoafLine
	for {
		line, ok := l.Next()
		if !ok {
			break
		}
		all = append(all, line)
	}
	if code := l.Code(); code != 0 {
		l.T.Errorf("exit code %d", code)
	}
	return all
}

func names(lines []client.LoafLine) string {
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
	t.Parallel()
	i := newIssuer(t)
	i.patience = 1
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("a")), modeltest.Stream(modeltest.Text("b")), modeltest.Stream(modeltest.Text("c")))
	p := i.place(t, b)
	l := p.loaf(t)
	l.Result(nil, "model.list", nil) // the endpoint is asked without a token
	if signedIn(l) {
		t.Error("a user is signed in at first")
	}
	lines := signIn(l)
	if want := "answer auth.flow.started auth.flow.url auth.flow.device_code auth.flow.completed"; names(lines) != want {
		t.Fatalf("there was %s, want %s", names(lines), want)
	}
	if got := string(lines[0].Result); got != `{"provider":"openai","login_method":"device_code","started":true}` {
		t.Errorf("the answer is %s", got)
	}
	page := i.URL + "/codex/device"
	if code := lines[3].Params; lines[2].Params.URL != page || code.VerificationURL != page || code.UserCode != "ABCD-1234" {
		t.Errorf("%s, %s", lines[2].Raw, lines[3].Raw)
	}
	if lines[4].Params.AccountID != "acct_1" || !signedIn(l) {
		t.Errorf("%s", lines[4].Raw)
	}
	l.Say(useOpenAI(l), "one")
	lines = append(lines, l.Turn()...)
	lines = append(lines, ended(l)...)
	wantNoSecret(t, p, l, lines)

	next := p.loaf(t)
	if !signedIn(next) {
		t.Error("the next process does not know of the sign-in")
	}
	next.Say(next.Create(), "two")
	lines = next.Turn()
	i.set(func() { i.lives = 30 })
	lines = append(lines, signIn(next)...) // another time: the token is nearly over when it comes
	next.Say(next.Create(), "three")
	lines = append(lines, next.Turn()...)
	if got, want := b.tokensSeen(), fmt.Sprintf("access-1-%[1]s access-1-%[1]s access-3-%[1]s", secretMark); got != want {
		t.Errorf("the model was asked with %s, want %s", got, want)
	}
	next.Result(nil, "command.execute", map[string]string{"session_id": next.Create(), "raw_command": "/forgeteverything"})
	if signedIn(next) {
		t.Error("a user is still signed in")
	}
	lines = append(lines, ended(next)...)
	wantNoSecret(t, p, next, lines)
}

// TestDeniedSignIn: a denial ends the sign-in, with a reason and without a trace, and can
// say yes later.
func TestDeniedSignIn(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	i.deny = true
	p := i.place(t, newBackend(t, modeltest.OpenAIChat))
	l := p.loaf(t)
	lines := signIn(l)
	if end := lines[len(lines)-1]; end.Method != "auth.flow.failed" || !strings.HasPrefix(end.Params.Text, "Device code poll failed (400): ") || signedIn(l) {
		t.Errorf("%s", end.Raw)
	}
	waited := l.Call("auth.connect.openai", map[string]any{"mode": "device_code", "wait": true})
	if waited.Error == nil || waited.Error.Code != -32603 || !strings.HasPrefix(waited.Error.Message, "Device code poll failed (400): ") {
		t.Errorf("the answer to the waiting request is %s", waited.Raw)
	}
	i.set(func() { i.deny = false })
	waited = l.Call("auth.connect.openai", map[string]any{"mode": "device_code", "wait": true})
	if got := string(waited.Result); got != `{"provider":"openai","login_method":"device_code","account_id":"acct_1"}` {
		t.Errorf("the answer to the waiting request is %s", waited.Raw)
	}
	wantNoSecret(t, p, l, append(lines, ended(l)...))
}

// TestSignInUnderWay: there is one at a time, and the end of the process is its end.
func TestSignInUnderWay(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	i.patience = 1000
	p := i.place(t, newBackend(t, modeltest.OpenAIChat))
	l := p.loaf(t)
	l.Request("auth.connect.openai", map[string]any{"mode": "device_code"})
	l.UntilEvent("auth.flow.device_code")
	second := l.Call("auth.connect.openai", map[string]any{"mode": "browser"})
	if second.Error == nil || second.Error.Code != -32000 || second.Error.Data.Reason != "auth_in_progress" {
		t.Errorf("%s", second.Raw)
	}
	l.Result(nil, "system.ping", nil)
	last := l.Request("system.shutdown", nil)
	lines := ended(l)
	if len(lines) == 0 || string(lines[len(lines)-1].ID) != last {
		t.Errorf("the last line is not the answer to the shutdown: %s", names(lines))
	}
	wantNoSecret(t, p, l, lines)
	if next := p.loaf(t); signedIn(next) {
		t.Error("a user is signed in")
	}
}

// TestBrowserSignIn: the browser comes back with a code; with a wrong state, or after the user
// has cancelled on the page, no user is signed in.
func TestBrowserSignIn(t *testing.T) {
	t.Parallel()
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
			l.Request("auth.connect.openai", map[string]any{"mode": "browser"})
			address, err := url.Parse(l.UntilEvent("auth.flow.url").Params.URL)
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
			lines := l.ReadTo("the end of the sign-in", func(line client.LoafLine) bool {
				return line.Method == "auth.flow.completed" || line.Method == "auth.flow.failed"
			})
			if end := lines[len(lines)-1]; end.Params.Text != test.failure || (end.Params.AccountID == "acct_1") != (test.failure == "") {
				t.Errorf("%s", end.Raw)
			}
			if test.failure == "" {
				l.Say(useOpenAI(l), "one")
				lines = append(lines, l.Turn()...)
				if got := b.tokensSeen(); got != "access-1-"+secretMark {
					t.Errorf("the model was asked with %s", got)
				}
			} else if signedIn(l) {
				t.Error("a user is signed in")
			}
			wantNoSecret(t, p, l, append(lines, ended(l)...))
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
