package signin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// What callers branch on.
var (
	ErrNotConfigured = errors.New("sign-in is not configured: it needs an issuer and a client_id")
	ErrBusy          = errors.New("sign-in already in progress")
	ErrSignedOut     = errors.New("nobody is signed in")
	ErrClosed        = errors.New("sign-in has been shut down")
	ErrNoSecret      = errors.New("nothing is stored under this name")
)

// A Failure is how a sign-in ended without an account: a sentence for people. It wraps
// context.Canceled if somebody ended it and context.DeadlineExceeded if it took too long.
type Failure struct {
	text  string
	cause error
}

func (f *Failure) Error() string { return f.text }
func (f *Failure) Unwrap() error { return f.cause }

func failed(format string, args ...any) error {
	return &Failure{text: fmt.Sprintf(format, args...)}
}

// refusedWith is the failure for an answer of the issuer that is not a success.
func refusedWith(what string, status int, body []byte, secrets ...string) error {
	return failed("%s failed (%d): %s", what, status, clip(hide(string(body), secrets...)))
}

const maxQuote = 180 // characters of somebody else's text in an error

// clip is a stranger's text as part of a sentence: one line, not long, and nothing in it
// that a terminal would obey.
func clip(text string) string {
	clean := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	clean = strings.Join(strings.Fields(clean), " ")
	if clean == "" {
		return "empty response"
	}
	if runes := []rune(clean); len(runes) > maxQuote {
		return string(runes[:maxQuote])
	}
	return clean
}

// hide takes secrets out of a text of somebody who was sent them.
func hide(text string, secrets ...string) string {
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "[hidden]")
		}
	}
	return text
}

// spoken is a limit as people say it.
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
