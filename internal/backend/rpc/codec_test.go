package rpc

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzParse: a line of an agent is skipped or a frame, and what a frame says can be sent and means the same.
func FuzzParse(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"m","data":[1]}}`,
		`{"jsonrpc":"2.0","method":"x","params":{"a":1,"a":2}}`, `{"jsonrpc":"2.0","id":1.5e3,"method":"x"}`, `[]`, `{"id":null}`,
	} {
		f.Add([]byte(line), true)
		f.Add([]byte(line), false)
	}
	f.Fuzz(func(t *testing.T, line []byte, version bool) {
		codec := Options(version)
		frame, answer, ok := codec.Parse(line)
		switch {
		case !ok:
			return
		case answer && (frame.Method != "" || frame.Request()):
			t.Fatalf("an answer with a method: %+v", frame)
		case answer:
			return
		}
		text := codec.Notification(frame.Method, frame.Params)
		if frame.Request() {
			text = codec.Request(frame.ID, frame.Method, frame.Params)
		}
		again, _, ok := codec.Parse(text)
		if !ok || again.ID != frame.ID || again.Method != frame.Method || !same(again.Params, frame.Params) {
			t.Errorf("%s is sent as %s", line, text)
		}
	})
}

// same reports whether two values are the same JSON.
func same(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	_, _ = a.Compact(), b.Compact()
	return string(a) == string(b)
}
