package token

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"time"
)

// An Info describes a token, without its secret.
type Info struct {
	ID      string    `json:"id"`
	Role    string    `json:"role"`
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // zero: never
	Scope

	Temporary bool `json:"-"` // it is not stored, and ends with the process
}

// A Scope limits what a token is valid for. The zero value does not limit.
type Scope struct {
	Sessions  []string `json:"sessions,omitzero"`  // only these
	Workspace string   `json:"workspace,omitzero"` // only sessions that work in this folder or below it; an absolute path
}

// Limited reports whether the scope limits anything.
func (s Scope) Limited() bool { return s.Sessions != nil || s.Workspace != "" }

// expired reports whether the token is not valid any more.
func (i Info) expired(now time.Time) bool { return !i.Expires.IsZero() && !now.Before(i.Expires) }

// A hash is the SHA-256 of a secret. A secret is random, so it needs no salt and no slow hash.
type hash [sha256.Size]byte

func hashOf(secret string) hash { return sha256.Sum256([]byte(secret)) }

// MarshalText returns the hash in hexadecimal digits.
func (h hash) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(h[:])), nil }

// UnmarshalText reads what MarshalText returns.
func (h *hash) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(h) {
		return hex.ErrLength
	}
	_, err := hex.Decode(h[:], text)
	return err
}

// prefix makes a token recognizable for programs that look for secrets in files.
const prefix = "parley_"

// newSecret returns a new token of 32 random bytes.
func newSecret() string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails, says its documentation
	return prefix + base64.RawURLEncoding.EncodeToString(secret)
}

// newID returns a new name for a token.
func newID() string {
	id := make([]byte, 6)
	_, _ = rand.Read(id)
	return "t-" + hex.EncodeToString(id)
}
