package socket

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FuzzToken: a token is accepted only if it is signed with the secret by HS256, has not expired, and is of the issuer; every other
// one gets the same error.
func FuzzToken(f *testing.F) {
	f.Add(`{"alg":"HS256"}`, `{"exp":2000000000,"iss":"us"}`, "")
	f.Add(`{"alg":"none"}`, `{"exp":2000000000,"iss":"us"}`, "")
	f.Add(`{"alg":"HS256"}`, `{"exp":1e400,"iss":"us","aud":["a"]}`, "")
	f.Add(`{"alg":"HS256"}`, `{"exp":1,"iss":"us","nbf":null}`, "a.b.c")
	f.Add(`[`, `{`, "..")
	tokens := Tokens{Issuer: "us", Skew: time.Minute}
	secret, now := []byte("a secret of thirty-two bytes, or so"), time.Unix(1_900_000_000, 0)
	f.Fuzz(func(t *testing.T, head, payload, foreign string) {
		if _, err := tokens.verify(foreign, secret, now); !errors.Is(err, errToken) {
			t.Errorf("%q, which is not signed: %v", foreign, err)
		}
		part := base64.RawURLEncoding.EncodeToString
		text := part([]byte(head)) + "." + part([]byte(payload))
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(text))
		signed := text + "." + part(mac.Sum(nil))
		if _, err := tokens.verify(signed, []byte("another secret"), now); !errors.Is(err, errToken) {
			t.Errorf("of another secret: %v", err)
		}
		expires, err := tokens.verify(signed, secret, now)
		if err != nil {
			if !errors.Is(err, errToken) {
				t.Errorf("the error is %v", err)
			}
			return
		}
		var h struct {
			Alg  string         `json:"alg"`
			Crit jsontext.Value `json:"crit"`
		}
		var c struct {
			Exp float64 `json:"exp"`
			Iss string  `json:"iss"`
		}
		if json.Unmarshal([]byte(head), &h) != nil || json.Unmarshal([]byte(payload), &c) != nil || h.Alg != "HS256" || c.Iss != "us" || h.Crit != nil || c.Exp+60 < 1_900_000_000 || expires.Before(now) {
			t.Errorf("accepted: %s %s", head, payload)
		}
	})
}
