package sse

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// maxText is how much of a body that is no JSON an error shows, in bytes.
const maxText = 300

// A Fault is a failure in the server's own words.
type Fault struct {
	Code    string // the most exact word for it; may be ""
	Type    string // a broader word; may be ""
	Message string

	status int           // HTTP status of the response; 0: it came within the stream
	hint   int           // an HTTP status inside the body; 0: none
	wait   time.Duration // the server's wish; 0: none
	reset  time.Duration // until the rate limit ends; 0: the server does not say
	final  bool          // the server reports that the same request is useless
	header http.Header   // of the response, or the upstream's as the body quotes it; may be nil
	window int           // tokens of the model's context; 0: it does not say

	foreign bool            // the body is not JSON: the server may not be that of a model
	kind    model.ErrorKind // "": what the words and the status mean
}

func (f *Fault) Error() string { return f.Message }

// NewFault returns the Fault in an event of a wire. The object may be the error
// itself, or have it as its member "error".
func NewFault(object []byte) *Fault { return parseFault(object) }

// faultBody is the union of the error objects in use: OpenAI's and Anthropic's
// {"error":{…}}, the flat {"code","message"} of gateways, the {"detail"} of Python
// servers, OpenRouter's metadata.
type faultBody struct {
	Error      jsontext.Value `json:"error"`
	Code       jsontext.Value `json:"code"`
	Type       jsontext.Value `json:"type"`
	Message    jsontext.Value `json:"message"`
	Detail     jsontext.Value `json:"detail"`
	RetryAfter jsontext.Value `json:"retry_after"` // seconds
	Window     jsontext.Value `json:"n_ctx"`       // llama.cpp
	Details    []struct {
		RetryDelay string `json:"retryDelay"` // Gemini's RetryInfo, as in "39s"
	} `json:"details"`
	Metadata struct {
		Raw     jsontext.Value            `json:"raw"`     // the upstream's own words
		Headers map[string]jsontext.Value `json:"headers"` // the upstream's
	} `json:"metadata"`
}

// parseFault reads an error body of any of the known shapes; of any other the text is the message.
func parseFault(body []byte) *Fault {
	f := &Fault{}
	body = bytes.TrimSpace(body)
	if list := []jsontext.Value(nil); len(body) > 0 && body[0] == '[' &&
		json.Unmarshal(body, &list, Lenient) == nil && len(list) > 0 {
		body = list[0]
	}
	if !f.read(body) {
		f.Message, f.foreign = excerpt(body), true
	}
	return f
}

// read takes over what object says; false: it is none.
func (f *Fault) read(object jsontext.Value) bool {
	var b faultBody
	if object.Kind() != '{' || json.Unmarshal(object, &b, Lenient) != nil {
		return false
	}
	if f.Type = text(b.Type); f.Type == "error" {
		f.Type = "" // the event's, not the failure's
	}
	f.Message = text(b.Message)
	if f.Message == "" {
		f.Message = text(b.Detail)
	}
	if raw := text(b.Metadata.Raw); raw != "" {
		f.Message += ": " + raw
	}
	f.Code = text(b.Code)
	if n, err := strconv.Atoi(f.Code); err == nil && n >= 300 && n < 600 {
		f.hint = n
	}
	if seconds, err := strconv.ParseFloat(text(b.RetryAfter), 64); err == nil {
		f.wait = inSeconds(seconds)
	}
	for _, detail := range b.Details {
		if delay, err := time.ParseDuration(detail.RetryDelay); err == nil {
			f.wait = min(max(delay, 0), maxWait)
		}
	}
	for name, value := range b.Metadata.Headers {
		if f.header == nil {
			f.header = http.Header{}
		}
		f.header.Set(name, text(value))
	}
	if n, err := strconv.Atoi(text(b.Window)); err == nil && n >= minWindow && n <= maxWindow {
		f.window = n
	}
	switch b.Error.Kind() {
	case '{':
		inner := Fault{wait: f.wait, window: f.window, header: f.header}
		if inner.read(b.Error) {
			*f = inner
		}
	case '"':
		f.Message = text(b.Error)
	}
	return true
}

// text returns a string as itself, null as "", and anything else as its JSON.
func text(v jsontext.Value) string {
	switch v.Kind() {
	case 0, 'n':
		return ""
	case '"':
		s, _ := jsontext.AppendUnquote(nil, v) // the error only reports a U+FFFD
		return string(s)
	}
	return string(v)
}

// excerpt returns the start of a body that is no JSON; "" of a web page.
func excerpt(body []byte) string {
	if bytes.HasPrefix(body, []byte("<")) {
		return ""
	}
	s := strings.ToValidUTF8(string(body), string(utf8.RuneError))
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "") + " …"
	}
	return s
}
