package sse

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// redacted stands where a secret stood.
const redacted = "[redacted]"

// shortSecret is the length below which a header's value is too common to be blanked, in bytes.
const shortSecret = 8

// A sendError is a request that got no response.
type sendError struct{ err error }

func (e *sendError) Error() string { return e.err.Error() }

// A readError is a body that could not be read to its end.
type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }

// failure returns err as a *model.Error. Causes that could quote the request or the body are
// not kept.
func (e *Endpoint) failure(err error) *model.Error {
	out := &model.Error{Provider: e.Provider}
	switch err := err.(type) {
	case *Fault:
		out.Kind, out.Status, out.RetryAfter = kindOf(err), err.status, err.wait
		out.Code, out.Message, out.Final = err.Code, err.Message, err.final
		out.Moderated = out.Kind == model.Rejected && err.moderated()
		if out.Temporary() {
			out.RetryAfter = cmp.Or(out.RetryAfter, waitOf(err.Message))
		}
		if out.Kind == model.RateLimited {
			out.RetryAfter = cmp.Or(out.RetryAfter, err.reset)
		}
		if out.Kind == model.ContextTooLong {
			out.Window = cmp.Or(err.window, windowOf(err.Message))
		}
		if found := affordable.Get().FindStringSubmatch(err.Message); out.Kind == model.Quota && found != nil {
			out.MaxTokens, _ = strconv.Atoi(found[1]) // 0: a number that is too long
		}
		if out.Code == "" {
			out.Code = err.Type
		}
		if out.Message == "" {
			out.Message = cmp.Or(http.StatusText(err.status), "the server failed and does not say why")
		}
		if out.Kind == model.Rejected && err.status == http.StatusNotFound && err.foreign {
			out.Message += "; is the address right? Most end with /v1"
		}
	case *sendError:
		out.Kind, out.Message, out.Err = ofSend(err.err)
	case *idleError:
		out.Kind, out.Message, out.Err = model.Unreachable, err.Error(), err
	case webPageError:
		out.Kind, out.Message, out.Final = model.BrokenStream, err.Error(), true
	case *readError:
		out.Kind, out.Message, out.Err = model.BrokenStream, fmt.Sprintf("the stream was cut: %v", err.err), err.err
		if timeout, ok := errors.AsType[net.Error](err.err); ok && timeout.Timeout() {
			out.Kind = model.Unreachable
		}
	default:
		out.Kind, out.Message = model.BrokenStream, brokenEvent(err)
	}
	out.Message, out.Code = e.redact(out.Message), e.redact(out.Code)
	return out
}

// brokenEvent describes the error of a Decoder without the words of the JSON package.
func brokenEvent(err error) string {
	if _, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return "the answer is broken: it is not valid JSON"
	}
	if failed, ok := errors.AsType[*json.SemanticError](err); ok {
		if at := string(failed.JSONPointer); at != "" {
			return "the answer is broken: it has a value of the wrong type at " + at
		}
		return "the answer is broken: it is not a JSON object"
	}
	return err.Error()
}

// ofSend types a request that got no response.
func ofSend(err error) (model.ErrorKind, string, error) {
	failed, ok := errors.AsType[*url.Error](err)
	if !ok || failed.Op == "parse" {
		return model.NotConfigured, fmt.Sprintf("request not sent: %v", err), nil
	}
	return model.Unreachable, fmt.Sprintf("no answer: %v", failed.Err), failed.Err
}

// redact blanks in text what an error must not show.
func (e *Endpoint) redact(text string) string {
	text = blank(blank(text, e.BaseURL), e.Key)
	for _, value := range e.Headers {
		for _, secret := range append(strings.Fields(value), value) {
			if len(secret) >= shortSecret {
				text = blank(text, secret)
			}
		}
	}
	return text
}

func blank(text, secret string) string {
	if secret == "" {
		return text
	}
	return strings.ReplaceAll(text, secret, redacted)
}
