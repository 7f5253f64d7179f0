package signin

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/oauth2"
)

// Whatever must never be shown has this in it.
const mark = "SECRET"

// An issuer is an OAuth server that always agrees, but where a test says otherwise.
type issuer struct {
	mu        sync.Mutex
	challenge string // of the browser flow; "": a device code
	asked     map[string]int
	last      url.Values // the last form

	usercode, poll, token answer // nil: agree
}

// An answer gets the number of the request, from 1.
type answer func(n int) (status int, body string)

func says(status int, body string) answer {
	return func(int) (int, string) { return status, body }
}

func jwt(claims string) string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"none"}`)) + "." + part([]byte(claims)) + "." + part([]byte(mark))
}

var idToken = jwt(`{"https://api.openai.com/auth":{"chatgpt_account_id":"acct_1"}}`)

func tokens(n int) string {
	return fmt.Sprintf(`{"id_token":%q,"access_token":"access-%d-%s","refresh_token":"refresh-%d-%s","expires_in":3600}`, idToken, n, mark, n, mark)
}

const (
	deviceAnswer = `{"device_auth_id":"device-` + mark + `","user_code":"ABCD-1234","interval":"5","expires_in":900}`
	pollAnswer   = `{"authorization_code":"code-` + mark + `","code_verifier":"verifier-` + mark + `"}`
)

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.asked == nil {
		i.asked = map[string]int{}
	}
	i.asked[r.URL.Path]++
	n := i.asked[r.URL.Path]
	reply := func(a answer, usual string) {
		status, text := http.StatusOK, usual
		if a != nil {
			status, text = a(n)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
	isJSON := r.Method == "POST" && r.Header.Get("Content-Type") == "application/json"
	switch path := r.URL.Path; {
	case path == "/api/accounts/deviceauth/usercode" && isJSON && string(body) == `{"client_id":"parley-test"}`:
		reply(i.usercode, deviceAnswer)
	case path == "/api/accounts/deviceauth/token" && isJSON && bytes.Contains(body, []byte(`"user_code":"ABCD-1234"`)) && bytes.Contains(body, []byte(`"device_auth_id":"device-`+mark+`"`)):
		reply(i.poll, pollAnswer)
	case path == "/oauth/token" && r.Method == "POST":
		i.last, _ = url.ParseQuery(string(body))
		if why := i.wrong(i.last); why != "" {
			http.Error(w, "the test's issuer objects: "+why, http.StatusTeapot)
			return
		}
		reply(i.token, tokens(n))
	default:
		http.Error(w, fmt.Sprintf("the test's issuer does not expect %s %s %s", r.Method, r.URL, body), http.StatusTeapot)
	}
}

func (i *issuer) wrong(form url.Values) string {
	switch {
	case form.Get("client_id") != "parley-test":
		return "client_id"
	case form.Get("grant_type") == "refresh_token":
		if !strings.HasPrefix(form.Get("refresh_token"), "refresh-") {
			return "refresh_token"
		}
	case form.Get("grant_type") != "authorization_code":
		return "grant_type"
	case form.Get("code") != "code-"+mark:
		return "code"
	case i.challenge != "" && oauth2.S256ChallengeFromVerifier(form.Get("code_verifier")) != i.challenge:
		return "code_verifier does not fit the challenge"
	case i.challenge == "" && form.Get("code_verifier") != "verifier-"+mark:
		return "code_verifier"
	case i.challenge == "" && !strings.HasSuffix(form.Get("redirect_uri"), "/deviceauth/callback"):
		return "redirect_uri"
	}
	return ""
}

func (i *issuer) count(path string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked[path]
}

// RoundTrip returns a network without sockets, for tests on synctest's clock.
func (i *issuer) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	i.ServeHTTP(w, r)
	return w.Result(), nil
}

// offline are options for an issuer that needs no socket.
func (i *issuer) offline(t *testing.T) Options {
	return Options{
		Issuer: "https://id.example", ClientID: "parley-test",
		Store: NewStore(StoreOptions{Folder: t.TempDir(), File: true}),
		HTTP:  &http.Client{Transport: i}, Environ: []string{},
	}
}

// online are options for an issuer on a real port.
func (i *issuer) online(t *testing.T) Options {
	server := httptest.NewServer(i)
	t.Cleanup(server.Close)
	o := i.offline(t)
	o.Issuer = server.URL + "/"
	o.HTTP = server.Client()
	return o
}

func open(t *testing.T, o Options) *Manager {
	m := New(o)
	t.Cleanup(m.Close)
	return m
}

// A record is the events of one attempt.
type record struct {
	t    *testing.T
	mu   sync.Mutex
	all  []Event
	seen chan Event
}

func newRecord(t *testing.T) *record { return &record{t: t, seen: make(chan Event, 16)} }

func (l *record) add(e Event) {
	noSecret(l.t, fmt.Sprintf("%+v", e))
	l.mu.Lock()
	l.all = append(l.all, e)
	l.mu.Unlock()
	l.seen <- e
}

// until waits for an event of a kind.
func (l *record) until(kind Kind) Event {
	l.t.Helper()
	for {
		e := <-l.seen
		if e.Kind == kind {
			return e
		}
		if e.Kind == Failed || e.Kind == Completed {
			l.t.Fatalf("the sign-in ended with %+v before there was %s", e, kind)
		}
	}
}

func (l *record) kinds() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var kinds []string
	for _, e := range l.all {
		kinds = append(kinds, string(e.Kind))
	}
	return strings.Join(kinds, " ")
}

func (l *record) last() Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[len(l.all)-1]
}

func noSecret(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, mark) {
		t.Errorf("a secret is shown: %s", text)
	}
}

func start(t *testing.T, m *Manager, method Method) (*Attempt, *record) {
	t.Helper()
	l := newRecord(t)
	a, err := m.Start(t.Context(), method, "tester", l.add)
	if err != nil {
		t.Fatal(err)
	}
	return a, l
}

// failure waits for the end of an attempt, which has to be a Failure whose text is that of its last event.
func failure(t *testing.T, a *Attempt, l *record) string {
	t.Helper()
	_, err := a.Wait(context.Background())
	f, ok := err.(*Failure)
	if !ok {
		t.Fatalf("the attempt ended with %v, want a Failure", err)
	}
	if last := l.last(); last.Kind != Failed || last.Message != f.Error() {
		t.Errorf("last event %+v, want Failed with %q", last, f)
	}
	noSecret(t, f.Error())
	return f.Error()
}

// signedIn returns a Manager with a sign-in whose access token is the first.
func signedIn(t *testing.T, o Options) *Manager {
	t.Helper()
	m := open(t, o)
	a, _ := start(t, m, DeviceCode)
	if _, err := a.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

func access(n int) string { return fmt.Sprintf("access-%d-%s", n, mark) }

// A user's browser, which follows redirects or does not.
func visit(t *testing.T, address string, follow bool) (status int, page string, header http.Header) {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Transport: transport}
	if !follow {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	response, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body), response.Header
}

// comeBack returns the address that the issuer would send a browser to; set changes its query.
func comeBack(t *testing.T, i *issuer, shown string, set map[string]string) string {
	t.Helper()
	u, err := url.Parse(shown)
	if err != nil {
		t.Fatal(err)
	}
	i.mu.Lock()
	i.challenge = u.Query().Get("code_challenge")
	i.mu.Unlock()
	query := url.Values{"state": {u.Query().Get("state")}, "code": {"code-" + mark}}
	for name, value := range set {
		query.Set(name, value)
		if value == "" {
			query.Del(name)
		}
	}
	return u.Query().Get("redirect_uri") + "?" + query.Encode()
}
