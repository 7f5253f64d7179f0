package sse

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxText is how much of a body that is no JSON an error shows, in bytes.
const maxText = 300

// A Fault is a failure in the server's own words.
type Fault struct {
	Code    string // the most exact word for it; may be ""
	Type    string // a broader word; may be ""
	Message string

	status int           // HTTP status of the response; 0: it came within the stream
	hint   int           // an HTTP status told inside the body; 0: none
	wait   time.Duration // the server's wish; 0: none
}

func (f *Fault) Error() string { return f.Message }

// NewFault is the Fault that a wire tells in an event. The object may be the error
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
	Metadata   struct {
		Raw jsontext.Value `json:"raw"` // the upstream's own words
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
		f.Message = excerpt(body)
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
	switch b.Error.Kind() {
	case '{':
		inner := Fault{wait: f.wait}
		if inner.read(b.Error) {
			*f = inner
		}
	case '"':
		f.Message = text(b.Error)
	}
	return true
}

// text is a string as itself, null as "", and anything else as its JSON.
func text(v jsontext.Value) string {
	switch v.Kind() {
	case 0, 'n':
		return ""
	case '"':
		s, _ := jsontext.AppendUnquote(nil, v) // the error only tells of a U+FFFD
		return string(s)
	}
	return string(v)
}

// excerpt is the start of a body that is no JSON; "" of a web page.
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
