package socket

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/regular"
)

// Tokens is what clients authenticate with.
type Tokens struct {
	Kind     string // capability-token, signed-bearer-token; "": none is needed
	File     string // of a capability token, absolute
	SHA256   string // of a capability token, in hex, in place of File
	Secret   string // file of the secret that signs tokens, absolute
	Issuer   string // of signed tokens; "": any
	Audience string
	Skew     time.Duration // of clocks
}

// The kinds of tokens.
const (
	Capability = "capability-token"
	Signed     = "signed-bearer-token"
)

// errToken is all that a client learns of a token that is not taken.
var errToken = errors.New("the token is not accepted")

// Check returns what is wrong with the command line, before a file is read; nil: nothing.
func (t Tokens) Check() error {
	flag, file := "--ws-token-file", t.File
	switch {
	case t.Kind == "":
		return nil
	case t.Kind == Signed && t.Secret == "":
		return errors.New("--ws-auth " + Signed + " needs --ws-shared-secret-file")
	case t.Kind == Signed:
		flag, file = "--ws-shared-secret-file", t.Secret
	case t.Kind != Capability:
		return fmt.Errorf("--ws-auth %q is neither %s nor %s", t.Kind, Capability, Signed)
	case (t.File == "") == (t.SHA256 == ""):
		return errors.New("--ws-auth " + Capability + " needs --ws-token-file or --ws-token-sha256")
	case t.File == "":
		_, err := t.hash()
		return err
	}
	if !filepath.IsAbs(file) {
		return fmt.Errorf("%s %q is not an absolute path", flag, file)
	}
	return nil
}

// Files returns the paths of the files that t names.
func (t Tokens) Files() (paths []string) {
	for _, path := range []string{t.File, t.Secret} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// Admit returns what checks requests, and returns when the token of one expires: the zero time if it does not. Nil: no token is
// needed.
func (t Tokens) Admit(now func() time.Time) (func(*http.Request) (expires time.Time, err error), error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	var check func(token string) (time.Time, error)
	switch t.Kind {
	case "":
		return nil, nil
	case Capability:
		want, err := t.digest()
		if err != nil {
			return nil, err
		}
		check = func(token string) (time.Time, error) {
			if got := sha256.Sum256([]byte(token)); subtle.ConstantTimeCompare(got[:], want) != 1 {
				return time.Time{}, errToken
			}
			return time.Time{}, nil
		}
	case Signed:
		secret, err := readSecret("--ws-shared-secret-file", t.Secret)
		if err != nil {
			return nil, err
		}
		check = func(token string) (time.Time, error) { return t.verify(token, secret, now()) }
	}
	return func(r *http.Request) (time.Time, error) {
		headers := r.Header.Values("Authorization")
		if len(headers) != 1 {
			return time.Time{}, errToken
		}
		token, ok := strings.CutPrefix(headers[0], "Bearer ")
		if !ok {
			return time.Time{}, errToken
		}
		return check(token)
	}, nil
}

// digest returns the hash of the capability token.
func (t Tokens) digest() ([]byte, error) {
	if t.File == "" {
		return t.hash()
	}
	token, err := readSecret("--ws-token-file", t.File)
	sum := sha256.Sum256(token)
	return sum[:], err
}

// hash returns the hash that the command line has.
func (t Tokens) hash() ([]byte, error) {
	want, err := hex.DecodeString(t.SHA256)
	if err != nil || len(want) != sha256.Size {
		return nil, errors.New("--ws-token-sha256 is not 64 hexadecimal digits")
	}
	return want, nil
}

// shortestSecret is how long a secret is at least, in bytes: as long as what HS256 makes of it.
const shortestSecret = 32

// readSecret reads the text of a file, which only the user can read and write: another user that can would know the secret, or choose it.
func readSecret(flag, path string) ([]byte, error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("%s: %s has the mode %#o, so that other users may know or change it: run chmod 600, and make a new secret", flag, path, mode)
	}
	data, err := io.ReadAll(io.LimitReader(file, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	text := strings.TrimSpace(string(data))
	if len(text) < shortestSecret {
		return nil, fmt.Errorf("%s: %s has %d bytes, and at least %d are needed", flag, path, len(text), shortestSecret)
	}
	return []byte(text), nil
}

// claims are the parts of a signed token that are looked at.
type claims struct {
	Expires   *float64       `json:"exp"`
	NotBefore *float64       `json:"nbf"`
	Issuer    string         `json:"iss"`
	Audience  jsontext.Value `json:"aud"` // one or several
}

// latest is the last second that is distinguished as the end of a token, some 34,000 years from now.
const latest = 1 << 40

// verify checks a token that is signed with HMAC and SHA-256 (a JWT with HS256), and returns when it is not accepted any more. A
// token with extensions that have to be understood is not accepted: none is (RFC 7515, 4.1.11).
func (t Tokens) verify(token string, secret []byte, now time.Time) (expires time.Time, err error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return expires, errToken
	}
	var head struct {
		Algorithm string         `json:"alg"`
		Critical  jsontext.Value `json:"crit"`
	}
	var c claims
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || decodePart(parts[0], &head) != nil || head.Algorithm != "HS256" || head.Critical != nil {
		return expires, errToken
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(parts[0] + "." + parts[1]))
	if !hmac.Equal(mac.Sum(nil), signature) || decodePart(parts[1], &c) != nil {
		return expires, errToken
	}
	at, skew := float64(now.Unix()), t.Skew.Seconds()
	switch {
	case c.Expires == nil || at > *c.Expires+skew, c.NotBefore != nil && at < *c.NotBefore-skew:
		return expires, errToken
	case t.Issuer != "" && c.Issuer != t.Issuer, t.Audience != "" && !slices.Contains(audiences(c.Audience), t.Audience):
		return expires, errToken
	}
	return time.Unix(int64(min(*c.Expires, latest)), 0).Add(t.Skew), nil
}

func decodePart(part string, dst any) error {
	data, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, dst)
}

func audiences(value jsontext.Value) (all []string) {
	var one string
	if json.Unmarshal(value, &one) == nil {
		return []string{one}
	}
	_ = json.Unmarshal(value, &all) // something else is no audience
	return all
}
