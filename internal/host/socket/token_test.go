package socket

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// sign returns a signed token.
func sign(head, claims, secret string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(head)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// admitted reports whether a token is taken.
func admitted(t *testing.T, tokens Tokens, header string) bool {
	t.Helper()
	admit, err := tokens.Admit(func() time.Time { return time.Unix(1000, 0) })
	if err != nil {
		t.Fatal(err)
	}
	r := &http.Request{Header: http.Header{"Authorization": {header}}}
	_, err = admit(r)
	return err == nil
}

const goodSecret = "a secret of thirty-two bytes, or so"

func TestSigned(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(goodSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens := Tokens{Kind: Signed, Secret: secret, Issuer: "me", Audience: "parley", Skew: 30 * time.Second}
	const head = `{"alg":"HS256"}`
	for name, test := range map[string]struct {
		header string
		want   bool
	}{
		"good":             {"Bearer " + sign(head, `{"exp":1001,"iss":"me","aud":"parley"}`, goodSecret), true},
		"several audience": {"Bearer " + sign(head, `{"exp":1001,"iss":"me","aud":["x","parley"]}`, goodSecret), true},
		"within the skew":  {"Bearer " + sign(head, `{"exp":971,"nbf":1029,"iss":"me","aud":"parley"}`, goodSecret), true},
		"expired":          {"Bearer " + sign(head, `{"exp":969,"iss":"me","aud":"parley"}`, goodSecret), false},
		"too early":        {"Bearer " + sign(head, `{"exp":2000,"nbf":1031,"iss":"me","aud":"parley"}`, goodSecret), false},
		"no end":           {"Bearer " + sign(head, `{"iss":"me","aud":"parley"}`, goodSecret), false},
		"another issuer":   {"Bearer " + sign(head, `{"exp":1001,"iss":"you","aud":"parley"}`, goodSecret), false},
		"another audience": {"Bearer " + sign(head, `{"exp":1001,"iss":"me","aud":"x"}`, goodSecret), false},
		"another secret":   {"Bearer " + sign(head, `{"exp":1001,"iss":"me","aud":"parley"}`, "other"), false},
		"no algorithm":     {"Bearer " + sign(`{"alg":"none"}`, `{"exp":1001,"iss":"me","aud":"parley"}`, goodSecret), false},
		"an extension":     {"Bearer " + sign(`{"alg":"HS256","crit":["x"],"x":1}`, `{"exp":1001,"iss":"me","aud":"parley"}`, goodSecret), false},
		"no token":         {"Bearer x", false},
		"another scheme":   {"Basic x", false},
	} {
		if got := admitted(t, tokens, test.header); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestCapability(t *testing.T) {
	sum := sha256.Sum256([]byte("open"))
	tokens := Tokens{Kind: Capability, SHA256: hex.EncodeToString(sum[:])}
	if !admitted(t, tokens, "Bearer open") || admitted(t, tokens, "Bearer closed") || admitted(t, tokens, "") {
		t.Error("the wrong token is taken")
	}
	for name, wrong := range map[string]Tokens{
		"neither file nor hash": {Kind: Capability},
		"no secret":             {Kind: Signed},
		"relative secret":       {Kind: Signed, Secret: "x"},
		"no such kind":          {Kind: "x"},
		"both":                  {Kind: Capability, SHA256: "00", File: "/x"},
		"short hash":            {Kind: Capability, SHA256: "00"},
		"relative file":         {Kind: Capability, File: "x"},
		"no such file":          {Kind: Signed, Secret: filepath.Join(t.TempDir(), "none")},
		"unknown kind":          {Kind: "password"},
	} {
		if err := wrong.Check(); (err == nil) != (name == "no such file") {
			t.Errorf("%s: the command line: %v", name, err)
		}
		if _, err := wrong.Admit(time.Now); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestListen: only a loopback address may be listened on where clients need no token.
func TestListen(t *testing.T) {
	for address, want := range map[string]bool{
		"ws://127.0.0.1:0": true, "ws://[::1]:0": true, "ws://0.0.0.0:0": false, "ws://localhost:0": false, "http://127.0.0.1:0": false, "ws://127.0.0.1": false,
	} {
		listener, _, err := Listen(address, "", false)
		if (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
		if err == nil {
			listener.Close()
		}
	}
}

// TestExpires: a signed token is accepted until its end and the skew of clocks; a second header is none.
func TestExpires(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(goodSecret), 0o600); err != nil {
		t.Fatal(err)
	}
	admit, err := Tokens{Kind: Signed, Secret: secret, Skew: 30 * time.Second}.Admit(func() time.Time { return time.Unix(1000, 0) })
	if err != nil {
		t.Fatal(err)
	}
	header := "Bearer " + sign(`{"alg":"HS256"}`, `{"exp":1001}`, goodSecret)
	if expires, err := admit(&http.Request{Header: http.Header{"Authorization": {header}}}); err != nil || !expires.Equal(time.Unix(1031, 0)) {
		t.Errorf("%v, %v", expires, err)
	}
	if _, err := admit(&http.Request{Header: http.Header{"Authorization": {header, "Bearer x"}}}); err == nil {
		t.Error("a request with two headers is admitted")
	}
}

// TestSecretFiles: a file that others can read or change, or that is short, has no secret.
func TestSecretFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes")
	}
	for _, c := range []struct {
		mode os.FileMode
		text string
		want bool
	}{
		{0o600, goodSecret, true},
		{0o400, goodSecret, true},
		{0o644, goodSecret, false},
		{0o660, goodSecret, false},
		{0o666, goodSecret, false},
		{0o600, "x", false},
		{0o600, goodSecret[:31] + "\n", false},
		{0o600, "", false},
	} {
		path := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		for _, tokens := range []Tokens{{Kind: Signed, Secret: path}, {Kind: Capability, File: path}} {
			if _, err := tokens.Admit(time.Now); (err == nil) != c.want {
				t.Errorf("%s %#o, %d bytes: %v", tokens.Kind, c.mode, len(c.text), err)
			}
		}
	}
}
