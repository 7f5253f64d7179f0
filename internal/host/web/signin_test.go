package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/host"
	"parley.dev/parley/internal/host/token"
)

// link returns the code of a new one-time link.
func (b *bench) link(secret, body string) string {
	b.t.Helper()
	code, _, text := b.get(request{path: "/v1/link", body: body, header: bearing(secret)})
	var answer linkAnswer
	if err := json.Unmarshal([]byte(text), &answer); code != 200 || err != nil || answer.Expires.Sub(time.Now().UTC()) != linkWait {
		b.t.Fatalf("%d %s %v", code, text, err)
	}
	u, err := url.Parse(answer.URL)
	if err != nil || u.Host != "127.0.0.1:4000" || u.Path != "/" || u.RawQuery != "" {
		b.t.Fatalf("%s: %v", answer.URL, err)
	}
	return strings.TrimPrefix(u.Fragment, "t=")
}

// signIn exchanges a code for the header of a cookie; nil: it was refused.
func (b *bench) signIn(code string) http.Header {
	b.t.Helper()
	status, h, text := b.get(request{path: "/v1/signin", body: `{"t":"` + code + `"}`})
	if status != http.StatusNoContent {
		if len(h["Set-Cookie"]) > 0 || status != http.StatusUnauthorized && status != http.StatusTooManyRequests {
			b.t.Errorf("%d %s %v", status, text, h)
		}
		return nil
	}
	cookie, err := http.ParseSetCookie(h.Get("Set-Cookie"))
	if err != nil {
		b.t.Fatal(err)
	}
	if cookie.Name != "parley-4000" || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Domain != "" || cookie.Secure {
		b.t.Errorf("cookie %+v", cookie)
	}
	return http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}}
}

// with returns a copy of a header with one more.
func with(header http.Header, name, value string) http.Header {
	header = header.Clone()
	header.Set(name, value)
	return header
}

// TestSignIn: a link signs one browser in, once, within a minute; its cookie is as good as the token of the link.
func TestSignIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		code := b.link(b.secret, "{}")
		cookie := b.signIn(code)
		if cookie == nil {
			t.Fatal("the link is refused")
		}
		if b.signIn(code) != nil {
			t.Error("the link works twice")
		}
		for path, want := range map[string]int{"/metrics": 200, "/v1/native": 101, "/v1/other": 101} {
			if got, _, body := b.get(request{path: path, header: cookie}); got != want {
				t.Errorf("%s: %d %s", path, got, body)
			}
			synctest.Wait()
		}
		late := b.link(b.secret, "{}")
		time.Sleep(linkWait)
		if b.signIn(late) != nil {
			t.Error("the link works after a minute")
		}
		if got, _, _ := b.get(request{path: "/metrics", header: cookie}); got != 200 {
			t.Errorf("the cookie after a minute: %d", got)
		}
		for _, wrong := range []string{"", "x", b.secret, strings.TrimPrefix(cookie.Get("Cookie"), "parley-4000=")} {
			if b.signIn(wrong) != nil {
				t.Errorf("%q signs in", wrong)
			}
		}
		if got, _, _ := b.get(request{path: "/metrics", header: with(cookie, "Authorization", "Bearer wrong")}); got != 401 && got != 429 {
			t.Errorf("a wrong header with a good cookie: %d", got)
		}
		cookie.Add("Cookie", "parley-4000=x")
		if got, _, _ := b.get(request{path: "/metrics", header: cookie}); got == 200 {
			t.Error("two cookies are accepted")
		}
	})
}

// TestLinksAreOfOwners: only owners make links, and a link allows no more than it was made for.
func TestLinksAreOfOwners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for _, info := range []token.Info{{Role: "driver"}, {Role: "viewer"}, {Role: "owner", Scope: token.Scope{Workspace: "/w"}}} {
			_, secret := b.token(info)
			if got, _, body := b.get(request{path: "/v1/link", body: "{}", header: bearing(secret)}); got != 403 {
				t.Errorf("%+v: %d %s", info, got, body)
			}
		}
		if got, _, _ := b.get(request{path: "/v1/link", body: "{}"}); got != 401 {
			t.Errorf("without a token: %d", got)
		}
		viewer := b.signIn(b.link(b.secret, `{"role":"viewer"}`))
		if got, _, body := b.get(request{path: "/v1/other", header: viewer}); got != 403 {
			t.Errorf("a viewer's browser: %d %s", got, body)
		}
		if got, _, body := b.get(request{path: "/v1/link", body: "{}", header: viewer}); got != 403 {
			t.Errorf("a viewer's browser: %d %s", got, body)
		}
		for _, body := range []string{`{"role":"king"}`, `{"x":1}`, `[]`, "x", `{"role":"` + strings.Repeat("x", bodyLimit) + `"}`} {
			if got, _, text := b.get(request{path: "/v1/link", body: body, header: bearing(b.secret)}); got != 400 {
				t.Errorf("%.20q: %d %s", body, got, text)
			}
		}
		header := bearing(b.secret)
		header["Content-Type"] = []string{"text/plain"}
		if got, _, text := b.get(request{path: "/v1/link", body: "{}", header: header}); got != 400 {
			t.Errorf("plain text: %d %s", got, text)
		}
	})
}

// TestCookieEnds: a cookie, its connections and unused links end with the token of the link, and a cookie when the browser
// signs out.
func TestCookieEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		info, secret := b.token(token.Info{Role: "owner"})
		cookie, unused := b.signIn(b.link(secret, "{}")), b.link(secret, "{}")
		left := b.signIn(b.link(b.secret, "{}"))
		ends := func(what string, header http.Header, end func()) {
			t.Helper()
			ws := b.dialWith("/v1/native", header)
			end()
			if _, _, err := ws.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
				t.Errorf("%s: %v", what, err)
			}
			if got, _, _ := b.get(request{path: "/metrics", header: header}); got != 401 {
				t.Errorf("%s: %d", what, got)
			}
		}
		ends("revoked", cookie, func() {
			if err := b.tokens.Revoke(info.ID); err != nil {
				t.Fatal(err)
			}
		})
		if b.signIn(unused) != nil {
			t.Error("a link of a revoked token signs in")
		}
		ends("signed out", left, func() {
			status, h, body := b.get(request{path: "/v1/signout", body: "{}", header: left})
			if cookie, err := http.ParseSetCookie(h.Get("Set-Cookie")); status != 204 || err != nil || cookie.MaxAge >= 0 {
				t.Errorf("%d %s %v", status, body, h)
			}
		})
		_, short := b.token(token.Info{Role: "owner", Expires: time.Now().Add(10 * time.Second)})
		ends("expired", b.signIn(b.link(short, "{}")), func() { time.Sleep(10 * time.Second) })
	})
}

// TestCookieOfForeignPage: the cookie of a browser is of no use to pages of other origins, nor are links.
func TestCookieOfForeignPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		cookie := b.signIn(b.link(b.secret, "{}"))
		for _, c := range []struct {
			name, header, value string
			want                int
		}{
			{"same origin", "Origin", "http://127.0.0.1:4000", 101},
			{"another origin", "Origin", "http://evil.example", 403},
			{"another port", "Origin", "http://127.0.0.1:4001", 403},
			{"of the same site", "Sec-Fetch-Site", "same-site", 401},
			{"of another site", "Sec-Fetch-Site", "cross-site", 401},
			{"same origin without Origin", "Sec-Fetch-Site", "same-origin", 101},
			{"address line", "Sec-Fetch-Site", "none", 101},
		} {
			if got, _, body := b.get(request{path: "/v1/native", header: with(cookie, c.header, c.value)}); got != c.want {
				t.Errorf("%s: %d %s, want %d", c.name, got, body, c.want)
			}
			synctest.Wait()
		}
		code := b.link(b.secret, "{}")
		foreign := http.Header{"Origin": {"http://evil.example"}}
		if got, _, body := b.get(request{path: "/v1/signin", body: `{"t":"` + code + `"}`, header: foreign}); got != 403 {
			t.Errorf("a foreign page signs in: %d %s", got, body)
		}
		if got, _, body := b.get(request{path: "/v1/signin", body: `{"t":"` + code + `"}`, host: "evil.example"}); got != 403 {
			t.Errorf("with another host: %d %s", got, body)
		}
		if b.signIn(code) == nil {
			t.Error("they have used the link up")
		}
	})
}

// TestWrongLinksAreSlowed: codes are tried as seldom as tokens.
func TestWrongLinksAreSlowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for n, want := range []int{401, 401, 401, 401, 401, 429} {
			if got, _, _ := b.get(request{path: "/v1/signin", body: `{"t":"wrong"}`}); got != want {
				t.Errorf("try %d: %d, want %d", n+1, got, want)
			}
		}
		if b.signIn(b.link(b.secret, "{}")) == nil {
			t.Error("a good link is refused, too")
		}
	})
}

// TestManyLinks: unused links and browsers that never sign out need limited memory.
func TestManyLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := newBrowsers(browserFile{})
		if err != nil {
			t.Fatal(err)
		}
		b := bearer{ended: make(chan struct{})}
		for range maxLinks {
			if _, _, err := s.link(b); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := s.link(b); err == nil {
			t.Error("there may be any number of links")
		}
		time.Sleep(linkWait)
		var first string
		for n := range maxBrowsers + 1 {
			code, _, err := s.link(b)
			if err != nil {
				t.Fatal(err)
			}
			secret, _, ok := s.exchange(code)
			if !ok {
				t.Fatal("a link is refused")
			}
			if n == 0 {
				first = secret
			}
			time.Sleep(time.Second)
			if _, ok := s.check(secret); !ok {
				t.Fatalf("browser %d is not signed in", n)
			}
		}
		if _, ok := s.check(first); ok || len(s.signedIn) != maxBrowsers || len(s.links) != 0 {
			t.Errorf("the first is signed in: %v; %d browsers, %d links", ok, len(s.signedIn), len(s.links))
		}
	})
}

// stored makes a token as token/create does, and returns its secret.
func (b *bench) stored(info token.Info) (token.Info, string) {
	b.t.Helper()
	info, secret, err := b.tokens.Create(info)
	if err != nil {
		b.t.Fatal(err)
	}
	return info, secret
}

// TestSharedLink: a stored token signs in as often as it is used, for what it allows and as long as it lives; its cookie ends with
// it. One of the process is in no link.
func TestSharedLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		scope := token.Scope{Sessions: []string{"s-1"}}
		info, secret := b.stored(token.Info{Role: "viewer", Name: "wall", Scope: scope, Expires: time.Now().Add(time.Hour)})
		_, h, _ := b.get(request{path: "/v1/signin", body: `{"t":"` + secret + `"}`})
		if cookie, err := http.ParseSetCookie(h.Get("Set-Cookie")); err != nil || cookie.MaxAge != 3600 || strings.Contains(cookie.Value, secret) {
			t.Errorf("%v, %v", cookie, err)
		}
		first, second := b.signIn(secret), b.signIn(secret)
		for _, header := range []http.Header{first, second} {
			code, h, text := b.get(request{path: "/v1/me", header: header})
			want := `{"role":"viewer","name":"wall","sessions":["s-1"],"expires":"` + info.Expires.Format(time.RFC3339) + `"}` + "\n"
			if code != 200 || text != want || h.Get("Content-Type") != "application/json" || h.Get("Cache-Control") != "no-store" {
				t.Errorf("%d %s %v, want %s", code, text, h, want)
			}
		}
		if code, _, _ := b.get(request{path: "/v1/signout", body: "{}", header: first}); code != 204 {
			t.Errorf("sign-out: %d", code)
		}
		for what, c := range map[string]struct {
			header http.Header
			want   int
		}{"signed out": {first, 401}, "the other browser": {second, 200}} {
			if code, _, text := b.get(request{path: "/v1/me", header: c.header}); code != c.want {
				t.Errorf("%s: %d %s", what, code, text)
			}
		}
		time.Sleep(time.Hour - time.Second)
		ws := b.dialWith("/v1/native", second)
		time.Sleep(time.Second)
		if _, _, err := ws.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
			t.Errorf("after the end of the token: %v", err)
		}
		if code, _, _ := b.get(request{path: "/v1/me", header: second}); code != 401 {
			t.Errorf("after the end of the token: %d", code)
		}
		revoked, secret := b.stored(token.Info{Role: "viewer", Scope: scope})
		header := b.signIn(secret)
		if err := b.tokens.Revoke(revoked.ID); err != nil {
			t.Fatal(err)
		}
		if code, _, _ := b.get(request{path: "/v1/me", header: header}); code != 401 || b.signIn(secret) != nil {
			t.Errorf("revoked: %d, or it signs in", code)
		}
		if b.signIn(b.secret) != nil {
			t.Error("the owner's token of the start signs in")
		}
	})
}

// TestSignInIsStored: a browser is still signed in after the host was started again, as long as its token lives and for 30 days; what is
// stored are hashes, for the user only.
func TestSignInIsStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		viewer := b.signIn(b.link(b.secret, `{"role":"viewer"}`))
		left := b.signIn(b.link(b.secret, "{}"))
		if code, _, _ := b.get(request{path: "/v1/signout", body: "{}", header: left}); code != 204 {
			t.Errorf("sign-out: %d", code)
		}
		info, secret := b.stored(token.Info{Role: "reviewer", Scope: token.Scope{Sessions: []string{"s-1"}}})
		shared := b.signIn(secret)
		ended, secret := b.stored(token.Info{Role: "viewer"})
		revoked := b.signIn(secret)
		_, temporary := b.token(token.Info{Role: "owner"})
		other := b.signIn(b.link(temporary, "{}"))

		path := BrowserPath(b.home)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", stat.Mode(), err)
		}
		for _, header := range []http.Header{viewer, shared} {
			if _, value, _ := strings.Cut(header.Get("Cookie"), "="); value == "" || strings.Contains(string(data), value) {
				t.Errorf("the file has the cookie %s: %s", value, data)
			}
		}
		if err := b.tokens.Revoke(ended.ID); err != nil {
			t.Fatal(err)
		}
		owner, _ := b.token(token.Info{Role: "owner"})
		again := func() *browsers {
			t.Helper()
			s, err := newBrowsers(browserFile{path, b.tokens, owner.ID, slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		role := func(s *browsers, header http.Header) string {
			_, value, _ := strings.Cut(header.Get("Cookie"), "=")
			found, _ := s.check(value)
			return found.Role
		}
		s := again()
		for what, c := range map[string]struct {
			header http.Header
			want   string
		}{"by link": {viewer, "viewer"}, "shared": {shared, "reviewer"}, "signed out": {left, ""}, "revoked": {revoked, ""}, "of another token of the process": {other, ""}} {
			if got := role(s, c.header); got != c.want {
				t.Errorf("%s: role %q, want %q", what, got, c.want)
			}
		}
		if err := b.tokens.Revoke(info.ID); err != nil {
			t.Fatal(err)
		}
		if got := role(s, shared); got != "" {
			t.Errorf("after the end of its token: role %q", got)
		}
		time.Sleep(signInLimit)
		if got := role(s, viewer); got != "" {
			t.Errorf("after 30 days: role %q", got)
		}
		if got := role(again(), viewer); got != "" {
			t.Errorf("after 30 days and a start: role %q", got)
		}
	})
}

// TestDamagedBrowsers: a file that is damaged, is of a newer program or could be of another user signs in no browser; the error names
// the file.
func TestDamagedBrowsers(t *testing.T) {
	good := `{"version":1,"browsers":[]}`
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"good":       {good, 0o600, ""},
		"not JSON":   {"{", 0o600, "browsers.json"},
		"newer":      {`{"version":2,"browsers":[]}`, 0o600, "version 2"},
		"short hash": {`{"version":1,"browsers":[{"sha256":"00","role":"owner","since":"2026-01-01T00:00:00Z"}]}`, 0o600, "has no hash"},
		"long hash":  {`{"version":1,"browsers":[{"sha256":"` + strings.Repeat("0", 66) + `","role":"owner","since":"2026-01-01T00:00:00Z"}]}`, 0o600, "has no hash"},
		"open":       {good, 0o644, "mode"},
	} {
		path := filepath.Join(t.TempDir(), "browsers.json")
		if err := os.WriteFile(path, []byte(c.text), c.mode); err != nil {
			t.Fatal(err)
		}
		_, err := newBrowsers(browserFile{path: path})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestConfiguredOrigin: pages of a configured origin may connect, as may a server of that name in front of the host; under
// https the cookie is Secure.
func TestConfiguredOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		proxy, err := ParseOrigin("https://Parley.example")
		if err != nil {
			t.Fatal(err)
		}
		b.server.o.Origins = []Origin{proxy}
		for _, c := range []struct {
			host, origin string
			want         int
		}{
			{"parley.example", "https://parley.example", 101},
			{"127.0.0.1:4000", "https://parley.example", 101},
			{"127.0.0.1:4000", "http://127.0.0.1:4000", 101},
			{"parley.example", "http://parley.example", 403},
			{"parley.example", "https://evil.example", 403},
			{"parley.example:4000", "https://parley.example", 403},
			{"evil.example", "https://parley.example", 403},
			{"127.0.0.1:4000", "https://parley.example.evil.example", 403},
		} {
			if got, _, body := b.get(request{path: "/v1/native", host: c.host, header: with(bearing(b.secret), "Origin", c.origin)}); got != c.want {
				t.Errorf("%+v: %d %s", c, got, body)
			}
			synctest.Wait()
		}
		_, _, text := b.get(request{path: "/v1/link", body: "{}", host: "parley.example", header: bearing(b.secret)})
		var answer linkAnswer
		if err := json.Unmarshal([]byte(text), &answer); err != nil || !strings.HasPrefix(answer.URL, "https://parley.example/#t=") {
			t.Fatalf("%s, %v", text, err)
		}
		_, code, _ := strings.Cut(answer.URL, "#t=")
		_, h, _ := b.get(request{path: "/v1/signin", body: `{"t":"` + code + `"}`, host: "parley.example"})
		if cookie, err := http.ParseSetCookie(h.Get("Set-Cookie")); err != nil || !cookie.Secure || cookie.Name != "__Host-parley" {
			t.Errorf("%+v, %v", cookie, err)
		}
	})
	for _, wrong := range []string{"", "parley.example", "ftp://parley.example", "https://", "https://a/b", "https://a?b", "https://u@a", "https://a#b", "*"} {
		if o, err := ParseOrigin(wrong); err == nil {
			t.Errorf("%q is %v", wrong, o)
		}
	}
}

// FuzzSignIn: whatever a request consists of that would exchange or make a link, it is refused, and no cookie is set.
func FuzzSignIn(f *testing.F) {
	for _, body := range []string{`{"t":""}`, `{"t":"x"}`, `{"t":1}`, `{"role":"owner"}`, `{"t":"x","t":"y"}`, "[]", "\xff", "{"} {
		f.Add(body, "application/json")
	}
	f.Add("{}", "application/json; charset=\"")
	browsers, err := newBrowsers(browserFile{})
	if err != nil {
		f.Fatal(err)
	}
	tokens, err := token.Open(token.Path(f.TempDir()))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body, kind string) {
		s := &Server{failures: newFailures(), browsers: browsers, o: Options{Tokens: tokens}}
		for _, serve := range []http.HandlerFunc{s.serveSignIn, s.serveLink, s.serveSignOut} {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
			r.Header.Set("Content-Type", kind)
			w := httptest.NewRecorder()
			serve(w, r)
			if w.Code < 400 || w.Header().Get("Set-Cookie") != "" {
				t.Errorf("%q of %q: %d, %v", body, kind, w.Code, w.Header())
			}
		}
	})
}

// FuzzQuery: whatever the query of a request is, it is refused, or a preamble that is fit to be one.
func FuzzQuery(f *testing.F) {
	for _, query := range []string{"", "cwd=/w", "cwd=/w&args=%5B%22-x%22%5D", "args=[]", "args=null", "cwd=w", "cwd=/%00", "cwd=/&cwd=/", "a=b", "%zz", ";"} {
		f.Add("other", query)
		f.Add("native", query)
	}
	f.Fuzz(func(t *testing.T, dialect, query string) {
		p := host.Preamble{Parley: 1, Dialect: dialect}
		if readQuery(query, &p) != nil {
			return
		}
		if p.Cwd != "" && p.Cwd[0] != '/' || strings.ContainsRune(strings.Join(append(p.Args, p.Cwd), ""), 0) || dialect == native && (p.Cwd != "" || p.Args != nil) {
			t.Errorf("%q for %s: %+v", query, dialect, p)
		}
	})
}

// FuzzParseAddress: the address of a host has a scheme and a host only, and no error repeats it.
func FuzzParseAddress(f *testing.F) {
	for _, address := range []string{"ws://127.0.0.1:1", "wss://a/b/", "ws://u:p@a", "ws://a?b", "ws://a#b", "ws://", "http://a", "\x00"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		u, err := ParseAddress(address)
		if err != nil {
			return
		}
		if u.Scheme != "ws" && u.Scheme != "wss" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			t.Errorf("%q: %+v", address, u)
		}
	})
}
