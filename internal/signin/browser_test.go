package signin

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestBrowser(t *testing.T) {
	i := &issuer{}
	m := open(t, i.online(t))
	a, l := start(t, m, Browser)
	shown := l.until(URL).URL

	query := must(url.Parse(shown)).Query()
	for name, want := range map[string]string{
		"response_type": "code", "client_id": "parley-test", "code_challenge_method": "S256", "originator": "tester",
		"scope": "openid profile email offline_access", "id_token_add_organizations": "true", "codex_cli_simplified_flow": "true",
	} {
		if got := query.Get(name); got != want {
			t.Errorf("%s=%s in the address, want %s", name, got, want)
		}
	}
	if !strings.HasPrefix(shown, strings.TrimSuffix(m.o.Issuer, "/")+"/oauth/authorize?") {
		t.Errorf("the address is %s", shown)
	}
	if len(query.Get("state")) < 43 || len(query.Get("code_challenge")) != 43 {
		t.Errorf("state %q, code_challenge %q", query.Get("state"), query.Get("code_challenge"))
	}

	status, page, header := visit(t, comeBack(t, i, shown, nil), true)
	if status != http.StatusOK || !strings.Contains(page, "Signed in") {
		t.Errorf("the browser shows %d %s", status, page)
	}
	if header.Get("Content-Security-Policy") == "" || header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", header)
	}
	account, err := a.Wait(t.Context())
	if err != nil || account.ID != "acct_1" || account.Method != Browser {
		t.Fatalf("account %+v, %v", account, err)
	}
	if want := "started url completed"; l.kinds() != want {
		t.Errorf("events %s, want %s", l.kinds(), want)
	}
	if got := i.last.Get("redirect_uri"); got != query.Get("redirect_uri") {
		t.Errorf("redirect_uri %s in the exchange, %s in the address", got, query.Get("redirect_uri"))
	}
	if token, err := m.Token(t.Context()); err != nil || token != access(1) {
		t.Errorf("Token is %q, %v", token, err)
	}
	if c, err := net.Dial("tcp", "127.0.0.1:"+must(url.Parse(query.Get("redirect_uri"))).Port()); err == nil {
		c.Close()
		t.Error("the port is still open")
	}
}

// The browser need not come for the last page.
func TestBrowserWithoutLastPage(t *testing.T) {
	i := &issuer{}
	a, l := start(t, open(t, i.online(t)), Browser)
	status, _, header := visit(t, comeBack(t, i, l.until(URL).URL, nil), false)
	if status != http.StatusFound || header.Get("Location") != "/success" {
		t.Errorf("the browser is sent on with %d to %s", status, header.Get("Location"))
	}
	if _, err := a.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestBrowserFailures(t *testing.T) {
	const script = `<script>alert("1")</script>`
	for _, test := range []struct {
		name string
		set  map[string]string
		i    *issuer
		want string
	}{
		{"wrong state", map[string]string{"state": "another"}, &issuer{}, "OAuth login failed: state mismatch."},
		{"no state", map[string]string{"state": ""}, &issuer{}, "OAuth login failed: state mismatch."},
		{"wrong state wins", map[string]string{"state": "x", "error": "access_denied"}, &issuer{}, "OAuth login failed: state mismatch."},
		{"no code", map[string]string{"code": ""}, &issuer{}, "OAuth login failed: Missing authorization code."},
		{"denied", map[string]string{"error": "access_denied", "error_description": "You said no."}, &issuer{}, "OAuth login failed: You said no."},
		{"denied without a word", map[string]string{"error": "access_denied", "code": ""}, &issuer{}, "OAuth login failed: access_denied"},
		{"script", map[string]string{"error": "x", "error_description": script}, &issuer{}, "OAuth login failed: " + script},
		{"escapes", map[string]string{"error": "x", "error_description": "\x1b]0;title\a\u202Eevil"}, &issuer{}, "OAuth login failed: ]0;title evil"},
		{"endless", map[string]string{"error": strings.Repeat("e", 9000)}, &issuer{}, "OAuth login failed: " + strings.Repeat("e", 180)},
		{"exchange fails", nil, &issuer{token: says(502, script)}, "OAuth token exchange failed (502): " + script},
		{"exchange quotes", nil, &issuer{token: says(500, "code-"+mark)}, "OAuth token exchange failed (500): [hidden]"},
		{"exchange incomplete", nil, &issuer{token: says(200, `{}`)}, "OAuth token exchange returned an incomplete token payload."},
		{"exchange garbage", nil, &issuer{token: says(200, `[`)}, "OAuth token exchange returned an incomplete token payload."},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := open(t, test.i.online(t))
			a, l := start(t, m, Browser)
			status, page, _ := visit(t, comeBack(t, test.i, l.until(URL).URL, test.set), true)
			if got := failure(t, a, l); got != test.want {
				t.Errorf("it says %q\n     want %q", got, test.want)
			}
			if status != http.StatusBadRequest || !strings.Contains(page, "Sign-in failed") || strings.Contains(page, "<script") {
				t.Errorf("the browser shows %d %s", status, page)
			}
			noSecret(t, page)
			if m.SignedIn() {
				t.Error("a user is signed in")
			}
		})
	}
}

func TestCancelBrowser(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(m *Manager, a *Attempt, home string)
	}{
		{"in the browser", func(_ *Manager, _ *Attempt, home string) {
			if status, page, _ := visit(t, home+"/cancel", true); status != http.StatusOK || !strings.Contains(page, "cancelled") {
				t.Errorf("the browser shows %d %s", status, page)
			}
		}},
		{"by Cancel", func(_ *Manager, a *Attempt, _ string) { a.Cancel() }},
		{"by Close", func(m *Manager, _ *Attempt, _ string) { m.Close() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := &issuer{}
			m := open(t, i.online(t))
			a, l := start(t, m, Browser)
			back := must(url.Parse(comeBack(t, i, l.until(URL).URL, nil)))
			test.do(m, a, "http://"+back.Host)
			if got := failure(t, a, l); got != "OAuth login cancelled." {
				t.Errorf("it says %q", got)
			}
		})
	}
}

func TestBrowserExpires(t *testing.T) {
	i := &issuer{}
	o := i.online(t)
	o.Limit = 30 * time.Millisecond
	a, l := start(t, open(t, o), Browser)
	if got, want := failure(t, a, l), "OAuth login timed out after 30ms."; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	for limit, want := range map[time.Duration]string{15 * time.Minute: "15 minutes", time.Minute: "1 minute", 90 * time.Second: "90 seconds", 2 * time.Hour: "2 hours"} {
		if got := spoken(limit); got != want {
			t.Errorf("%v is %q, want %q", limit, got, want)
		}
	}
}

func TestPortTaken(t *testing.T) {
	taken := must(net.Listen("tcp4", "127.0.0.1:0"))
	defer taken.Close()
	i := &issuer{}
	o := i.online(t)
	o.Port = taken.Addr().(*net.TCPAddr).Port
	a, l := start(t, open(t, o), Browser)
	back := comeBack(t, i, l.until(URL).URL, nil)
	if strings.Contains(back, fmt.Sprintf(":%d/", o.Port)) {
		t.Errorf("the browser is sent to the port of another program: %s", back)
	}
	visit(t, back, true)
	if _, err := a.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

// The port is asked for by its number, so that clients registered for it work.
func TestPortFree(t *testing.T) {
	free := must(net.Listen("tcp4", "127.0.0.1:0"))
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	i := &issuer{}
	o := i.online(t)
	o.Port = port
	a, l := start(t, open(t, o), Browser)
	if want, got := fmt.Sprintf("http://localhost:%d/auth/callback", port), must(url.Parse(l.until(URL).URL)).Query().Get("redirect_uri"); got != want {
		t.Errorf("the browser is sent to %s, want %s", got, want)
	}
	a.Cancel()
	failure(t, a, l)
}

// What strangers ask of the port neither ends the sign-in nor learns anything.
func TestStrangersAtThePort(t *testing.T) {
	i := &issuer{}
	a, l := start(t, open(t, i.online(t)), Browser)
	back := comeBack(t, i, l.until(URL).URL, nil)
	home := "http://" + must(url.Parse(back)).Host
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, test := range []struct {
		method, path, host string
		want               int
	}{
		{"GET", "/", "", 404},
		{"GET", "/favicon.ico", "", 404},
		{"POST", "/auth/callback?state=x", "", 405},
		{"POST", "/cancel", "", 405},
		{"GET", "/cancel", "evil.example", 403},
		{"GET", "/auth/callback?state=x", "evil.example:1455", 403},
		{"GET", "/cancel", "localhost.evil.example", 403},
	} {
		request := must(http.NewRequest(test.method, home+test.path, nil))
		request.Host = test.host
		response := must(client.Do(request))
		response.Body.Close()
		if response.StatusCode != test.want {
			t.Errorf("%s %s of %q: %d, want %d", test.method, test.path, test.host, response.StatusCode, test.want)
		}
	}
	visit(t, back, true)
	if _, err := a.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

// Of two browsers the first one counts.
func TestSecondArrival(t *testing.T) {
	hold, held := make(chan struct{}), make(chan struct{})
	i := &issuer{token: func(int) (int, string) { close(held); <-hold; return 200, tokens(1) }}
	a, l := start(t, open(t, i.online(t)), Browser)
	back := comeBack(t, i, l.until(URL).URL, nil)
	first, second := make(chan int), make(chan int)
	go func() { status, _, _ := visit(t, back, true); first <- status }()
	<-held
	go func() { status, _, _ := visit(t, back, true); second <- status }()
	close(hold)
	if got := <-first; got != http.StatusOK {
		t.Errorf("the first one gets status %d", got)
	}
	if got := <-second; got != http.StatusGone {
		t.Errorf("the second one gets status %d", got)
	}
	if _, err := a.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestTokensCannotBeKept: a sign-in whose tokens cannot be stored fails with an error.
func TestTokensCannotBeKept(t *testing.T) {
	i := &issuer{}
	o := i.online(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o.Store = NewStore(StoreOptions{Folder: filepath.Join(file, "x"), File: true})
	a, l := start(t, open(t, o), Browser)
	status, page, _ := visit(t, comeBack(t, i, l.until(URL).URL, nil), true)
	got := failure(t, a, l)
	if !strings.HasPrefix(got, "OAuth login failed: the folder of secrets cannot be made") {
		t.Errorf("it says %q", got)
	}
	if status != http.StatusBadRequest || !strings.Contains(page, "cannot be made") {
		t.Errorf("the browser shows %d %s", status, page)
	}
}

// A cancel reaches also a sign-in that waits for the issuer.
func TestCancelDuringExchange(t *testing.T) {
	for _, method := range []Method{Browser, DeviceCode} {
		t.Run(string(method), func(t *testing.T) {
			held, hold := make(chan struct{}), make(chan struct{})
			i := &issuer{token: func(int) (int, string) { close(held); <-hold; return 200, tokens(1) }}
			m := open(t, i.online(t))
			a, l := start(t, m, method)
			var browser sync.WaitGroup
			if method == Browser {
				back := comeBack(t, i, l.until(URL).URL, nil)
				browser.Go(func() {
					if status, page, _ := visit(t, back, true); status != http.StatusBadRequest || !strings.Contains(page, "cancelled") {
						t.Errorf("the browser shows %d %s", status, page)
					}
				})
			}
			<-held
			a.Cancel()
			if got := failure(t, a, l); got != "OAuth login cancelled." {
				t.Errorf("it says %q", got)
			}
			close(hold)
			browser.Wait()
			if m.SignedIn() {
				t.Error("a user is signed in")
			}
		})
	}
}

func TestAuto(t *testing.T) {
	for _, test := range []struct {
		name, system string
		environ      []string
		want         Method
	}{
		{"desktop", "linux", []string{"DISPLAY=:0"}, Browser},
		{"Wayland", "linux", []string{"WAYLAND_DISPLAY=wayland-0"}, Browser},
		{"no display", "linux", nil, DeviceCode},
		{"emptied display", "linux", []string{"DISPLAY="}, DeviceCode},
		{"a Mac", "darwin", nil, Browser},
		{"CI", "darwin", []string{"CI=true"}, DeviceCode},
		{"far away", "darwin", []string{"SSH_CONNECTION=1"}, DeviceCode},
		{"a far terminal", "linux", []string{"DISPLAY=:10", "SSH_TTY=/dev/pts/1"}, DeviceCode},
		{"a far client", "linux", []string{"DISPLAY=:10", "SSH_CLIENT=1"}, DeviceCode},
		{"an agent for keys", "linux", []string{"DISPLAY=:0", "SSH_AUTH_SOCK=/x"}, Browser},
	} {
		if got := methodFor(Auto, test.system, test.environ); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	if got := methodFor(Browser, "linux", nil); got != Browser {
		t.Errorf("what was asked for became %s", got)
	}
}

func TestAutoFallsBackToBrowser(t *testing.T) {
	i := &issuer{usercode: says(404, "")}
	o := i.online(t)
	o.Environ = []string{"CI=1"}
	a, l := start(t, open(t, o), Auto)
	visit(t, comeBack(t, i, l.until(URL).URL, nil), true)
	account, err := a.Wait(t.Context())
	if err != nil || account.Method != Browser || a.Method() != Browser {
		t.Errorf("account %+v by %s, %v", account, a.Method(), err)
	}
	if want := "started url completed"; l.kinds() != want {
		t.Errorf("events %s, want %s", l.kinds(), want)
	}
	if last := l.last(); last.Method != Browser {
		t.Errorf("last event %+v", last)
	}
}

func TestOneAtATime(t *testing.T) {
	i := &issuer{poll: says(403, "")}
	m := open(t, i.offline(t))
	a, l := start(t, m, DeviceCode)
	l.until(Code)
	if _, err := m.Start(t.Context(), Browser, "", nil); err != ErrBusy || err.Error() != "sign-in already in progress" {
		t.Errorf("a second one: %v", err)
	}
	a.Cancel()
	failure(t, a, l)

	// The receiver of the last event may start the next one.
	next := make(chan error, 1)
	i.poll = nil
	first, err := m.Start(t.Context(), DeviceCode, "", func(e Event) {
		if e.Kind == Completed {
			second, err := m.Start(context.Background(), DeviceCode, "", nil)
			if err == nil {
				_, err = second.Wait(context.Background())
			}
			next <- err
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-next; err != nil {
		t.Errorf("the next one: %v", err)
	}
	m.Close()
	if _, err := m.Start(t.Context(), Browser, "", nil); err != ErrClosed {
		t.Errorf("after Close: %v", err)
	}
}

func TestStartRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Options)
		method Method
		origin string
		want   string
	}{
		{"no issuer", func(o *Options) { o.Issuer = "" }, Auto, "", ErrNotConfigured.Error()},
		{"no client", func(o *Options) { o.ClientID = "" }, Auto, "", ErrNotConfigured.Error()},
		{"open line", func(o *Options) { o.Issuer = "http://id.example" }, Auto, "", "https"},
		{"not an address", func(o *Options) { o.Issuer = "id.example" }, Auto, "", "no valid address"},
		{"broken address", func(o *Options) { o.Issuer = "https://[::" }, Auto, "", "no valid address"},
		{"a password", func(o *Options) { o.Issuer = "https://u:" + mark + "@id.example" }, Auto, "", "plain address"},
		{"a query", func(o *Options) { o.Issuer = "https://id.example/?a=" + mark }, Auto, "", "plain address"},
		{"method", func(*Options) {}, "magic", "", "auto, browser or device_code"},
		{"originator", func(*Options) {}, Auto, "a\nb", "originator"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := (&issuer{}).offline(t)
			test.change(&o)
			m := open(t, o)
			_, err := m.Start(t.Context(), test.method, test.origin, func(e Event) { t.Errorf("event %+v", e) })
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want something with %q", err, test.want)
			}
			noSecret(t, fmt.Sprint(err))
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
