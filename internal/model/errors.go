package model

import (
	"fmt"
	"time"
)

// ErrorKind is what a caller can act on.
type ErrorKind string

// The kinds of failures.
const (
	NotConfigured  ErrorKind = "not_configured"   // no model, or no key for it; nothing was sent
	Auth           ErrorKind = "auth"             // 401, 403
	RateLimited    ErrorKind = "rate_limited"     // 429
	Quota          ErrorKind = "quota"            // out of credit; waiting does not help
	Rejected       ErrorKind = "rejected"         // 400, 404, 422: the request itself is wrong
	ModelNotFound  ErrorKind = "model_not_found"  // the endpoint does not have the model
	ContextTooLong ErrorKind = "context_too_long" // the request does not fit the model's window
	Overloaded     ErrorKind = "overloaded"       // 408, 409, 425, 5xx, 529
	Unreachable    ErrorKind = "unreachable"      // DNS, connect, TLS, read timeout: the cause may be on either side
	BrokenStream   ErrorKind = "broken_stream"    // the stream was cut, or is not what the wire promises
)

// An Error is a model call that failed. It holds no key and no header.
type Error struct {
	Kind       ErrorKind
	Provider   string
	Model      string        // of ModelNotFound: the model as the session's settings name it; "": not known
	Status     int           // HTTP; 0: none was received
	Code       string        // the backend's own; may be ""
	Message    string        // the backend's own, or ours; one sentence
	Window     int           // of ContextTooLong: the tokens of the model's context, as the backend says; 0: it does not
	MaxTokens  int           // of Quota: the longest answer that there is still money for; 0: unknown
	RetryAfter time.Duration // the backend's wish; 0: none
	Final      bool          // the backend reports that the same request will fail again
	Moderated  bool          // of Rejected: a text or picture of the request was refused by moderation
	Err        error         // cause; may be nil
}

// Error opens with the backend's code and HTTP status.
func (e *Error) Error() string {
	switch {
	case e.Code != "" && e.Status != 0:
		return fmt.Sprintf("%s (HTTP %d): %s", e.Code, e.Status, e.Message)
	case e.Status != 0:
		return fmt.Sprintf("HTTP %d: %s", e.Status, e.Message)
	case e.Code != "":
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool {
	if e.Final {
		return false
	}
	switch e.Kind {
	case RateLimited, Overloaded, Unreachable, BrokenStream:
		return true
	}
	return false
}
