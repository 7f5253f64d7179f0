package signin

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley.dev/parley/internal/text"
)

// What callers branch on.
var (
	ErrNotConfigured = errors.New("sign-in is not configured: it needs an issuer and a client_id")
	ErrBusy          = errors.New("sign-in already in progress")
	ErrSignedOut     = errors.New("nobody is signed in")
	ErrClosed        = errors.New("sign-in has been shut down")
	ErrNoSecret      = errors.New("nothing is stored under this name")
)

// A Failure is how a sign-in ended without an account: a sentence for users. It wraps
// context.Canceled if the caller ended it and context.DeadlineExceeded if it took too long.
type Failure struct {
	text  string
	cause error
}

func (f *Failure) Error() string { return f.text }
func (f *Failure) Unwrap() error { return f.cause }

func failed(format string, args ...any) error {
	return &Failure{text: fmt.Sprintf(format, args...)}
}

// refusedWith returns the failure for an answer of the issuer that is not a success.
func refusedWith(what string, status int, body []byte, secrets ...string) error {
	return failed("%s failed (%d): %s", what, status, clip(hide(string(body), secrets...)))
}

const maxQuote = 180 // characters of another program's text in an error

// clip returns a text of another program for use in a sentence: one line of at most maxQuote
// characters, without any that could control a terminal.
func clip(s string) string {
	return cmp.Or(text.ClipRunes(text.Printable(s), maxQuote, ""), "empty response")
}

// Quote returns a text of another program as part of a sentence: one line, short, without control
// characters and without the secrets.
func Quote(text string, secrets ...string) string { return clip(hide(text, secrets...)) }

// hide removes secrets from a text of a server that has received them.
func hide(text string, secrets ...string) string {
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "[hidden]")
		}
	}
	return text
}

// spoken returns a limit as users say it.
func spoken(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if d >= unit.of && d%unit.of == 0 {
			n := int(d / unit.of)
			if n == 1 {
				return "1 " + unit.name
			}
			return strconv.Itoa(n) + " " + unit.name + "s"
		}
	}
	return d.String()
}
