package e2e

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley.dev/parley/e2e/client"
)

// secretMark is in every code and token of an issuer: it may be seen in requests, and in the
// one file that keeps secrets, and nowhere else.
const secretMark = "SECRET"

// An issuer is an OAuth server. It agrees to everything, but where a test says otherwise.
type issuer struct {
	*httptest.Server
	t testing.TB

	mu        sync.Mutex
	deny      bool
	patience  int    // how often the user has not agreed yet
	lives     int    // of access tokens, in seconds
	challenge string // of the browser's flow
	issued    int    // tokens so far
}

const clientID = "parley-e2e"

func newIssuer(t testing.TB) *issuer {
	i := &issuer{t: t, lives: 3600}
	i.Server = httptest.NewServer(i)
	t.Cleanup(i.Close)
	return i
}

// set changes what it does.
func (i *issuer) set(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
}

// place returns a place whose sign-in is this issuer's, and whose model is b.
func (i *issuer) place(t testing.TB, b *backend) *place {
	t.Helper()
	p := newPlace(t)
	p.Env = []string{"OPENAI_BASE_URL=" + b.wire.BaseURL(b.url)}
	config := filepath.Join(p.Home, ".config", "parley", "config.jsonc")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"signin": {"issuer": %q, "client_id": %q}, "secrets_in_file": true, "log": "debug"}`, i.URL, clientID)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case r.URL.Path == "/api/accounts/deviceauth/usercode" && strings.Contains(string(body), clientID):
		_, _ = io.WriteString(w, `{"device_auth_id":"device-`+secretMark+`","user_code":"ABCD-1234","interval":"1","expires_in":900}`)
	case r.URL.Path == "/api/accounts/deviceauth/token" && strings.Contains(string(body), "device-"+secretMark):
		i.poll(w)
	case r.URL.Path == "/oauth/token":
		i.token(w, body)
	default:
		i.t.Errorf("the issuer does not expect %s %s %s", r.Method, r.URL, body)
		http.Error(w, "unexpected", http.StatusTeapot)
	}
}

func (i *issuer) poll(w http.ResponseWriter) {
	switch {
	case i.deny:
		http.Error(w, `{"error":"access_denied"}`, http.StatusBadRequest)
	case i.patience > 0:
		i.patience--
		http.Error(w, `{"error":"pending"}`, http.StatusForbidden)
	default:
		_, _ = io.WriteString(w, `{"authorization_code":"code-`+secretMark+`","code_verifier":"verifier-`+secretMark+`"}`)
	}
}

// token gives the next tokens for a code, or for the refresh token that it gave last.
func (i *issuer) token(w http.ResponseWriter, body []byte) {
	form, _ := url.ParseQuery(string(body))
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	verified := form.Get("code_verifier") == "verifier-"+secretMark
	if i.challenge != "" {
		verified = base64.RawURLEncoding.EncodeToString(sum[:]) == i.challenge
	}
	switch {
	case form.Get("client_id") != clientID,
		form.Get("grant_type") == "authorization_code" && (form.Get("code") != "code-"+secretMark || !verified),
		form.Get("grant_type") == "refresh_token" && form.Get("refresh_token") != fmt.Sprintf("refresh-%d-%s", i.issued, secretMark):
		i.t.Errorf("the issuer objects to %s", body)
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		return
	}
	i.issued++
	part := base64.RawURLEncoding.EncodeToString
	id := part([]byte(`{"alg":"none"}`)) + "." + part([]byte(`{"https://api.openai.com/auth":{"chatgpt_account_id":"acct_1"}}`)) + "." + part([]byte(secretMark))
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id_token":%q,"access_token":"access-%d-%s","refresh_token":"refresh-%d-%s","expires_in":%d}`, id, i.issued, secretMark, i.issued, secretMark, i.lives)
}

// wantNoSecret wants no code or token in what was said, in the log, or in any file but that
// of secrets, which is the user's alone.
func wantNoSecret(t *testing.T, p *place, l *client.Loaf, said []client.LoafLine) {
	t.Helper()
	for _, line := range said {
		if strings.Contains(line.Raw, secretMark) {
			t.Errorf("a secret was sent: %s", line.Raw)
		}
	}
	if strings.Contains(l.Stderr.String(), secretMark) {
		t.Errorf("a secret is in the log: %s", l.Stderr)
	}
	err := filepath.WalkDir(p.Home, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secretMark) {
			info, _ := d.Info()
			if path != filepath.Join(p.State(), "secrets", "secrets.json") || info.Mode().Perm() != 0o600 {
				t.Errorf("a secret is in %s, mode %v", path, info.Mode())
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
