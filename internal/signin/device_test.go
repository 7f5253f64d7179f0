package signin

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDeviceCode(t *testing.T) {
	for _, test := range []struct {
		name, answer     string
		interval, expiry time.Duration
	}{
		{"as strings", deviceAnswer, 5 * time.Second, 15 * time.Minute},
		{"as numbers", `{"device_auth_id":"device-` + mark + `","user_code":"ABCD-1234","interval":2,"expires_in":600}`, 2 * time.Second, 10 * time.Minute},
		{"other spelling, nothing else", `{"device_auth_id":"device-` + mark + `","usercode":"ABCD-1234"}`, 5 * time.Second, 15 * time.Minute},
		{"nonsense", `{"device_auth_id":"device-` + mark + `","user_code":"ABCD-1234","interval":-1,"expires_in":"soon","x":[]}`, 5 * time.Second, 15 * time.Minute},
		{"far too long", `{"device_auth_id":"device-` + mark + `","user_code":"ABCD-1234","interval":"1e99","expires_in":1e300}`, time.Minute, 15 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				i := &issuer{usercode: says(200, test.answer), poll: func(n int) (int, string) {
					switch n {
					case 1:
						return 403, `{"error":"authorization_pending"}`
					case 2:
						return 404, ""
					}
					return 200, pollAnswer
				}}
				m := open(t, i.offline(t))
				a, l := start(t, m, DeviceCode)
				account, err := a.Wait(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begun); took != 2*test.interval {
					t.Errorf("it took %v, want two intervals of %v", took, test.interval)
				}
				page := "https://id.example/codex/device"
				want := []Event{
					{Kind: Started, Provider: "openai"},
					{Kind: URL, Provider: "openai", URL: page},
					{Kind: Code, Provider: "openai", URL: page, UserCode: "ABCD-1234", Interval: test.interval, Expires: test.expiry},
					{Kind: Completed, Provider: "openai", Method: DeviceCode, Account: "acct_1"},
				}
				if diff := cmp.Diff(want, l.all); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
				if account.ID != "acct_1" || account.Method != DeviceCode || a.Method() != DeviceCode {
					t.Errorf("account %+v, method %s", account, a.Method())
				}
				if token, err := m.Token(t.Context()); err != nil || token != access(1) {
					t.Errorf("Token is %q, %v", token, err)
				}
			})
		})
	}
}

func TestDeviceCodeFailures(t *testing.T) {
	long := strings.Repeat("é", 300)
	for _, test := range []struct {
		name string
		i    *issuer
		want string
	}{
		{"not enabled", &issuer{usercode: says(404, "")}, "Device code login is not enabled for this OAuth issuer."},
		{"request refused", &issuer{usercode: says(500, " out of\x1b[2J order\n")}, "Device code request failed (500): out of [2J order"},
		{"request refused, empty", &issuer{usercode: says(429, " \n")}, "Device code request failed (429): empty response"},
		{"request refused at length", &issuer{usercode: says(400, long)}, "Device code request failed (400): " + long[:180*2]},
		{"request redirected", &issuer{usercode: says(302, "elsewhere")}, "Device code request failed (302): elsewhere"},
		{"request incomplete", &issuer{usercode: says(200, `{"user_code":"ABCD-1234"}`)}, "Device code request returned an incomplete payload."},
		{"request without a code", &issuer{usercode: says(200, `{"device_auth_id":"x"}`)}, "Device code request returned an incomplete payload."},
		{"request with an escape", &issuer{usercode: says(200, `{"device_auth_id":"x","user_code":"\u001b[2J"}`)}, "Device code request returned an incomplete payload."},
		{"request garbage", &issuer{usercode: says(200, `<html>`)}, "Device code request returned an incomplete payload."},
		{"request without end", &issuer{usercode: says(200, `{"device_auth_id":"`+strings.Repeat("x", maxAnswer))}, "Device code request returned an incomplete payload."},
		{"denied", &issuer{poll: says(400, `{"error":"access_denied"}`)}, `Device code poll failed (400): {"error":"access_denied"}`},
		{"poll fails", &issuer{poll: says(503, "")}, "Device code poll failed (503): empty response"},
		{"poll quotes", &issuer{poll: says(500, "device-"+mark+" is unknown")}, "Device code poll failed (500): [hidden] is unknown"},
		{"poll incomplete", &issuer{poll: says(200, `{"authorization_code":"x"}`)}, "Device code poll returned an incomplete authorization payload."},
		{"poll garbage", &issuer{poll: says(200, `null null`)}, "Device code poll returned an incomplete authorization payload."},
		{"exchange fails", &issuer{token: says(500, "code-"+mark+" with verifier-"+mark)}, "OAuth token exchange failed (500): [hidden] with [hidden]"},
		{"exchange refused", &issuer{token: says(400, `{"error":"invalid_grant"}`)}, `OAuth token exchange failed (400): {"error":"invalid_grant"}`},
		{"exchange without id token", &issuer{token: says(200, `{"access_token":"a","refresh_token":"r"}`)}, "OAuth token exchange returned an incomplete token payload."},
		{"exchange without refresh token", &issuer{token: says(200, `{"access_token":"a","id_token":"i"}`)}, "OAuth token exchange returned an incomplete token payload."},
		{"exchange without access token", &issuer{token: says(200, `{"refresh_token":"r","id_token":"i"}`)}, "OAuth token exchange returned an incomplete token payload."},
		{"exchange with a header in it", &issuer{token: says(200, `{"access_token":"a\r\nX: y","refresh_token":"r","id_token":"i"}`)}, "OAuth token exchange returned an incomplete token payload."},
		{"exchange garbage", &issuer{token: says(200, mark)}, "OAuth token exchange returned an incomplete token payload."},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := open(t, test.i.offline(t))
			a, l := start(t, m, DeviceCode)
			if got := failure(t, a, l); got != test.want {
				t.Errorf("it says %q\n     want %q", got, test.want)
			}
			if m.SignedIn() {
				t.Error("a user is signed in")
			}
		})
	}
}

func TestDeviceCodeExpires(t *testing.T) {
	for _, test := range []struct {
		name, answer, want string
		limit, after       time.Duration
	}{
		{"usual", deviceAnswer, "OAuth device login timed out after 15 minutes.", 0, 15 * time.Minute},
		{"as the issuer says", strings.Replace(deviceAnswer, "900", "60", 1), "OAuth device login timed out after 1 minute.", 0, time.Minute},
		{"as configured", deviceAnswer, "OAuth device login timed out after 90 seconds.", 90 * time.Second, 90 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				i := &issuer{usercode: says(200, test.answer), poll: says(403, "")}
				o := i.offline(t)
				o.Limit = test.limit
				begun := time.Now()
				a, l := start(t, open(t, o), DeviceCode)
				if got := failure(t, a, l); got != test.want {
					t.Errorf("it says %q, want %q", got, test.want)
				}
				if took := time.Since(begun); took != test.after {
					t.Errorf("it took %v, want %v", took, test.after)
				}
				if _, err := a.Wait(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v is no DeadlineExceeded", err)
				}
				if want := "started url device_code failed"; l.kinds() != want {
					t.Errorf("events %s, want %s", l.kinds(), want)
				}
			})
		})
	}
}

func TestUnreachable(t *testing.T) {
	i := &issuer{}
	o := i.online(t)
	o.Issuer = "http://127.0.0.1:1" // there is no server
	a, l := start(t, open(t, o), DeviceCode)
	got := failure(t, a, l)
	if !strings.HasPrefix(got, "Device code request failed: ") || strings.Contains(got, "/api/") {
		t.Errorf("it says %q", got)
	}
}

// A redirect would send codes and tokens to another server.
func TestNoRedirect(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	for _, path := range []string{"/api/accounts/deviceauth/usercode", "/api/accounts/deviceauth/token", "/oauth/token"} {
		i := &issuer{}
		o := i.online(t)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == path {
				http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
				return
			}
			i.ServeHTTP(w, r)
		}))
		defer server.Close()
		o.Issuer = server.URL
		a, l := start(t, open(t, o), DeviceCode)
		if got := failure(t, a, l); !strings.Contains(got, "failed (307)") {
			t.Errorf("%s: it says %q", path, got)
		}
	}
	if n := elsewhere.Load(); n > 0 {
		t.Errorf("another server got %d requests", n)
	}
}

func TestCancelDeviceCode(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(m *Manager, a *Attempt, cancel func())
	}{
		{"by its context", func(_ *Manager, _ *Attempt, cancel func()) { cancel() }},
		{"by Cancel", func(_ *Manager, a *Attempt, _ func()) { a.Cancel() }},
		{"by Close", func(m *Manager, _ *Attempt, _ func()) { m.Close() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := &issuer{poll: says(403, "")}
			m := open(t, i.offline(t))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			l := newRecord(t)
			a, err := m.Start(ctx, DeviceCode, "", l.add)
			if err != nil {
				t.Fatal(err)
			}
			l.until(Code)
			test.do(m, a, cancel)
			if got := failure(t, a, l); got != "OAuth login cancelled." {
				t.Errorf("it says %q", got)
			}
			if _, err := a.Wait(t.Context()); !errors.Is(err, context.Canceled) {
				t.Errorf("%v is no Canceled", err)
			}
		})
	}
}

func TestWaitGivesUpAlone(t *testing.T) {
	i := &issuer{poll: says(403, "")}
	m := open(t, i.offline(t))
	a, l := start(t, m, DeviceCode)
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if _, err := a.Wait(ctx); !errors.Is(err, gone) {
		t.Errorf("Wait ended with %v", err)
	}
	l.until(Code)
	a.Cancel()
	failure(t, a, l)
}
