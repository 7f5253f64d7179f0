package signin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestTokenIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{}
		m := signedIn(t, i.offline(t))
		check := func(want string) {
			t.Helper()
			if got, err := m.Token(t.Context()); err != nil || got != want {
				t.Errorf("Token is %q, %v, want %q", got, err, want)
			}
		}
		check(access(1))
		time.Sleep(58 * time.Minute)
		check(access(1))
		time.Sleep(time.Minute) // within the last minute of its hour
		check(access(2))
		check(access(2))
		if got := i.last.Get("refresh_token"); got != "refresh-1-"+mark {
			t.Errorf("renewed with %s", got)
		}
		m.Refused(access(2))
		check(access(3))
		check(access(3))
		if got := i.last.Get("refresh_token"); got != "refresh-2-"+mark {
			t.Errorf("renewed with %s", got)
		}
		if account, err := m.Account(); err != nil || account.ID != "acct_1" {
			t.Errorf("account %+v, %v", account, err)
		}
	})
}

func TestClockIsInjected(t *testing.T) {
	o := (&issuer{}).offline(t)
	signedIn(t, o)
	o.Now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	if got, err := open(t, o).Token(t.Context()); err != nil || got != access(2) {
		t.Errorf("two hours later Token is %q, %v", got, err)
	}
}

func TestTokenAfterClose(t *testing.T) {
	m := signedIn(t, (&issuer{}).offline(t))
	m.Refused(access(1))
	m.Close()
	if _, err := m.Token(t.Context()); err != ErrClosed {
		t.Errorf("Token: %v", err)
	}
}

// A renewal may leave out what stays as it is.
func TestRenewalKeepsWhatIsLeftOut(t *testing.T) {
	i := &issuer{}
	m := signedIn(t, i.offline(t))
	i.token = says(200, `{"access_token":"other-`+mark+`"}`)
	m.Refused(access(1))
	if got, err := m.Token(t.Context()); err != nil || got != "other-"+mark {
		t.Fatalf("Token is %q, %v", got, err)
	}
	c, _, err := m.load()
	if err != nil || c.Refresh != "refresh-1-"+mark || c.AccountID != "acct_1" || !c.Expires.IsZero() {
		t.Errorf("stored: refresh %q, account %q, expires %v, %v", c.Refresh, c.AccountID, c.Expires, err)
	}
}

// Without expires_in the access token itself may say when it ends.
func TestEndFromTheTokenItself(t *testing.T) {
	i := &issuer{token: says(200, fmt.Sprintf(`{"id_token":"opaque","access_token":%q,"refresh_token":"r"}`, jwt(`{"exp":1900000000.5}`)))}
	m := signedIn(t, i.offline(t))
	c, _, err := m.load()
	if err != nil || c.Expires.Unix() != 1900000000 || c.AccountID != "" {
		t.Errorf("ends %v, account %q, %v", c.Expires, c.AccountID, err)
	}
}

func TestManyAskAtOnce(t *testing.T) {
	i := &issuer{}
	o := i.offline(t)
	m := signedIn(t, o)
	other := open(t, o) // as another process would, with a lock of its own
	m.Refused(access(1))
	other.Refused(access(1))
	var all sync.WaitGroup
	for n := range 40 {
		all.Go(func() {
			if got, err := []*Manager{m, other}[n%2].Token(t.Context()); err != nil || got != access(2) {
				t.Errorf("Token is %q, %v", got, err)
			}
		})
	}
	all.Wait()
	if n := i.count("/oauth/token"); n != 2 {
		t.Errorf("the issuer was asked %d times for tokens, want once to sign in and once to renew", n)
	}
}

func TestRenewalFails(t *testing.T) {
	for _, test := range []struct {
		name string
		answer
		out  bool // signed out by it
		want string
	}{
		{"refused", says(400, `{"error":"invalid_grant","refresh_token":"refresh-1-`+mark+`"}`), true, "nobody is signed in: the issuer refuses to renew the sign-in (400)"},
		{"refused in another shape", says(401, `{"error":{"code":"refresh_token_reused"}}`), true, "refresh_token_reused"},
		{"refused with 200", says(200, `{"error":"invalid_grant"}`), true, "(200)"},
		{"our name is unknown", says(401, `{"error":"invalid_client"}`), false, "cannot be renewed just now (401)"},
		{"out of order", says(503, "refresh-1-"+mark), false, "cannot be renewed just now (503): [hidden]"},
		{"busy", says(429, ""), false, "(429): empty response"},
		{"garbage", says(200, mark), false, "the answer of the issuer has no token"},
		{"incomplete", says(200, `{"refresh_token":"x"}`), false, "the answer of the issuer has no token"},
		{"no header", says(200, `{"access_token":"a b"}`), false, "incomplete token payload"},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := &issuer{}
			m := signedIn(t, i.offline(t))
			i.token = test.answer
			m.Refused(access(1))
			_, err := m.Token(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) || errors.Is(err, ErrSignedOut) != test.out {
				t.Errorf("Token says %v", err)
			}
			noSecret(t, fmt.Sprint(err))
			if m.SignedIn() == test.out {
				t.Errorf("signed in: %v", !test.out)
			}
			i.token = nil
			if _, err := m.Token(t.Context()); errors.Is(err, ErrSignedOut) != test.out {
				t.Errorf("the next time it says %v", err)
			}
		})
	}
}

func TestIssuerIsGone(t *testing.T) {
	o := (&issuer{}).offline(t)
	m := signedIn(t, o)
	o.HTTP = nil
	o.Issuer = "http://127.0.0.1:1"
	other := open(t, o)
	c, _, err := m.load()
	if err != nil {
		t.Fatal(err)
	}
	c.Issuer = o.Issuer
	if _, err := other.keep(c, ""); err != nil {
		t.Fatal(err)
	}
	other.Refused(access(1))
	if _, err := other.Token(t.Context()); err == nil || !strings.Contains(err.Error(), "the issuer cannot be asked") || !other.SignedIn() {
		t.Errorf("Token says %v", err)
	}
}

// A sign-out while a token is being renewed is final.
func TestSignOutDuringRenewal(t *testing.T) {
	i := &issuer{}
	m := signedIn(t, i.offline(t))
	held, hold := make(chan struct{}), make(chan struct{})
	i.token = func(int) (int, string) { close(held); <-hold; return 200, tokens(2) }
	m.Refused(access(1))
	ended := make(chan error)
	go func() { _, err := m.Token(t.Context()); ended <- err }()
	<-held
	if err := m.SignOut(); err != nil {
		t.Error(err)
	}
	close(hold)
	if err := <-ended; !errors.Is(err, ErrSignedOut) {
		t.Errorf("Token says %v", err)
	}
	if m.SignedIn() {
		t.Error("a user is signed in again")
	}
}

// A caller that no longer waits does not cancel the renewal for the others.
func TestOneCallerLeaves(t *testing.T) {
	i := &issuer{}
	m := signedIn(t, i.offline(t))
	held, hold := make(chan struct{}), make(chan struct{})
	i.token = func(int) (int, string) { close(held); <-hold; return 200, tokens(2) }
	m.Refused(access(1))
	ctx, cancel := context.WithCancel(t.Context())
	left, stayed := make(chan error), make(chan string)
	go func() { _, err := m.Token(ctx); left <- err }()
	<-held
	go func() { token, _ := m.Token(t.Context()); stayed <- token }()
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled caller gets %v", err)
	}
	close(hold)
	if got := <-stayed; got != access(2) {
		t.Errorf("the waiting caller has %q", got)
	}
}

func TestRestart(t *testing.T) {
	i := &issuer{}
	o := i.offline(t)
	signedIn(t, o).Close()
	o.Store = NewStore(StoreOptions{Folder: o.Store.folder, File: true})
	m := open(t, o)
	if got, err := m.Token(t.Context()); err != nil || got != access(1) || !m.SignedIn() {
		t.Errorf("after a restart Token is %q, %v", got, err)
	}
	account, err := m.Account()
	if err != nil || account.ID != "acct_1" || account.Method != DeviceCode || account.Since.IsZero() {
		t.Errorf("after a restart the account is %+v, %v", account, err)
	}

	for name, change := range map[string]func(*Options){
		"issuer": func(o *Options) { o.Issuer = "https://other.example" },
		"client": func(o *Options) { o.ClientID = "another" },
	} {
		changed := o
		change(&changed)
		if _, err := open(t, changed).Token(t.Context()); err != ErrSignedOut {
			t.Errorf("another %s is given the token: %v", name, err)
		}
	}
	changed := o
	changed.Issuer = ""
	if _, err := open(t, changed).Token(t.Context()); err != ErrNotConfigured {
		t.Errorf("without an issuer: %v", err)
	}

	if err := m.SignOut(); err != nil {
		t.Fatal(err)
	}
	if err := m.SignOut(); err != nil {
		t.Errorf("the second time: %v", err)
	}
	if _, err := m.Account(); err != ErrSignedOut || m.SignedIn() {
		t.Errorf("after SignOut: %v", err)
	}
	if _, err := m.Token(t.Context()); err != ErrSignedOut {
		t.Errorf("after SignOut: %v", err)
	}
}

func TestKeys(t *testing.T) {
	m := open(t, Options{Store: NewStore(StoreOptions{Folder: t.TempDir(), File: true})})
	if err := m.SetKey("openrouter", "  sk-"+mark+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := m.SetKey("exa", "x"); err != nil {
		t.Fatal(err)
	}
	if key, err := m.Key("openrouter"); err != nil || key != "sk-"+mark {
		t.Errorf("the key is %q, %v", key, err)
	}
	if keys, err := m.Keys(); err != nil || fmt.Sprint(keys) != "[exa openrouter]" {
		t.Errorf("keys of %v, %v", keys, err)
	}
	for _, key := range []string{"", " ", mark + " " + mark, mark + "\n" + mark, mark + "é", "\x1b" + mark, strings.Repeat(mark, 1000)} {
		err := m.SetKey("openrouter", key)
		if err == nil {
			t.Errorf("the key %.20q is taken", key)
		}
		noSecret(t, fmt.Sprint(err))
	}
	if err := m.SetKey(mark, "turned around"); err == nil {
		t.Error("any name is taken")
	} else {
		noSecret(t, err.Error())
	}
	if err := m.DeleteKey("openrouter"); err != nil {
		t.Error(err)
	}
	if _, err := m.Key("openrouter"); !errors.Is(err, ErrNoSecret) {
		t.Errorf("a deleted key: %v", err)
	}
	if err := m.DeleteKey("openrouter"); err != nil {
		t.Errorf("the second time: %v", err)
	}
}

// No verb shows what is inside.
func TestFormat(t *testing.T) {
	i := &issuer{}
	o := i.offline(t)
	m := signedIn(t, o)
	m.Refused(access(1))
	c, _, err := m.load()
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		text := fmt.Sprintf(verb+verb+verb, m, m.store, c)
		noSecret(t, text)
		if strings.Contains(text, fmt.Sprintf("%x", mark)) {
			t.Errorf("%s shows a secret: %s", verb, text)
		}
	}
}

func FuzzClaims(f *testing.F) {
	f.Add(idToken)
	f.Add(jwt(`{"exp":1e400}`))
	f.Add("a.b.c")
	f.Fuzz(func(t *testing.T, token string) {
		m := New(Options{})
		defer m.Close()
		var c credential
		if c.take(tokenWith(token), time.Unix(0, 0)) && (!plain(c.Access, maxToken) || len(c.AccountID) > maxAccount) {
			t.Errorf("took %q, account %q", c.Access, c.AccountID)
		}
		if _, err := c.Expires.MarshalText(); err != nil {
			t.Errorf("ends %v, which cannot be stored: %v", c.Expires, err)
		}
	})
}
