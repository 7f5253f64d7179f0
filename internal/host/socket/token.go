package socket

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
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

// Admit returns what checks requests; nil: no token is needed.
func (t Tokens) Admit(now func() time.Time) (func(*http.Request) error, error) {
	var check func(token string) error
	switch t.Kind {
	case "":
		return nil, nil
	case Capability:
		want, err := t.digest()
		if err != nil {
			return nil, err
		}
		check = func(token string) error {
			if got := sha256.Sum256([]byte(token)); subtle.ConstantTimeCompare(got[:], want) != 1 {
				return errToken
			}
			return nil
		}
	case Signed:
		secret, err := readSecret("--ws-shared-secret-file", t.Secret)
		if err != nil {
			return nil, err
		}
		check = func(token string) error { return t.verify(token, secret, now()) }
	default:
		return nil, fmt.Errorf("--ws-auth %q is neither %s nor %s", t.Kind, Capability, Signed)
	}
	return func(r *http.Request) error {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok {
			return errToken
		}
		return check(token)
	}, nil
}

// digest returns the hash of the capability token.
func (t Tokens) digest() ([]byte, error) {
	if (t.File == "") == (t.SHA256 == "") {
		return nil, errors.New("--ws-auth " + Capability + " needs --ws-token-file or --ws-token-sha256")
	}
	if t.File == "" {
		want, err := hex.DecodeString(t.SHA256)
		if err != nil || len(want) != sha256.Size {
			return nil, errors.New("--ws-token-sha256 is not 64 hexadecimal digits")
		}
		return want, nil
	}
	token, err := readSecret("--ws-token-file", t.File)
	sum := sha256.Sum256(token)
	return sum[:], err
}

// readSecret reads the text of a file.
func readSecret(flag, path string) ([]byte, error) {
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("%s needs an absolute path", flag)
	}
	data, err := regular.ReadFile(path, 1<<16)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	text := strings.TrimSpace(string(data))
	if text == "" {
		return nil, fmt.Errorf("%s: %s is empty", flag, path)
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

// verify checks a token that is signed with HMAC and SHA-256 (a JWT with HS256).
func (t Tokens) verify(token string, secret []byte, now time.Time) error {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return errToken
	}
	var head struct {
		Algorithm string `json:"alg"`
	}
	var c claims
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || decodePart(parts[0], &head) != nil || head.Algorithm != "HS256" {
		return errToken
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(parts[0] + "." + parts[1]))
	if !hmac.Equal(mac.Sum(nil), signature) || decodePart(parts[1], &c) != nil {
		return errToken
	}
	at, skew := float64(now.Unix()), t.Skew.Seconds()
	switch {
	case c.Expires == nil || at > *c.Expires+skew, c.NotBefore != nil && at < *c.NotBefore-skew:
		return errToken
	case t.Issuer != "" && c.Issuer != t.Issuer, t.Audience != "" && !slices.Contains(audiences(c.Audience), t.Audience):
		return errToken
	}
	return nil
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
