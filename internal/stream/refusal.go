package stream

import (
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"parley.dev/parley/internal/regular"
)

// This file contains why servers and this program do not accept each other.

// explain adds to an error of a connection what the user can do about it.
func explain(o ConnectOptions, err error) error {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	switch {
	case unknown:
		return fmt.Errorf("%w; --store-ca names the file of the certificates that sign those of the servers", err)
	case isSignInError(err):
		return fmt.Errorf("the servers do not accept the user of %s: %w", identityOf(o), err)
	case !isRefusal(err):
		return err
	case o.CertFile == "":
		return fmt.Errorf("%w; the servers may require a certificate: --store-cert and --store-key name one", err)
	}
	return fmt.Errorf("%w; the servers may not accept the certificate in %s", err, o.CertFile)
}

// isSignInError reports whether a server does not accept a user. For a first connection the client library has only
// the server's text.
func isSignInError(err error) bool {
	text := strings.ToLower(err.Error())
	for _, target := range []error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired} {
		if strings.Contains(text, strings.TrimPrefix(target.Error(), "nats: ")) {
			return true
		}
	}
	return false
}

// isRefusal reports whether a server has ended a connection during or after the TLS handshake, as it does if it does not
// accept the client's certificate. Its reason may arrive too late to be read.
func isRefusal(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "remote error" || strings.Contains(err.Error(), "closed by remote after TLS handshake")
}

// identityOf describes how the user signs in. It contains no secret.
func identityOf(o ConnectOptions) string {
	switch {
	case o.CredentialsFile != "":
		if end := expiry(o.CredentialsFile); !end.IsZero() && end.Before(time.Now()) {
			return fmt.Sprintf("%s, which has expired at %s", o.CredentialsFile, end.UTC().Format(time.RFC3339))
		}
		return o.CredentialsFile
	case o.CertFile != "":
		return o.CertFile
	}
	return "a connection without --store-creds and --store-cert"
}

// expiry returns when the JWT in a file of credentials expires; zero: never, or it cannot be read.
func expiry(path string) time.Time {
	data, err := regular.ReadFile(path, 1<<20)
	if err != nil {
		return time.Time{}
	}
	token, err := nkeys.ParseDecoratedJWT(data)
	if err != nil {
		return time.Time{}
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct {
		Expires int64 `json:"exp"` // seconds since 1970
	}
	if err != nil || json.Unmarshal(text, &claims) != nil || claims.Expires <= 0 {
		return time.Time{}
	}
	return time.Unix(claims.Expires, 0)
}
