package jsonrpc

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestAppend(t *testing.T) {
	plain, versioned := Options{}, Options{Version: true}
	for _, test := range []struct{ name, got, want string }{
		{"notification", string(plain.AppendNotification([]byte("before "), "a/b", []byte(`{"x":1}`))), `before {"method":"a/b","params":{"x":1}}`},
		{"no params", string(plain.AppendNotification(nil, "a\n", nil)), `{"method":"a\n"}`},
		{"request", string(plain.AppendRequest(nil, Number(1000001), "ask", []byte(`{}`))), `{"id":1000001,"method":"ask","params":{}}`},
		{"result", string(plain.AppendResult(nil, `"\u0061"`, []byte(`{}`))), `{"id":"\u0061","result":{}}`},
		{"nothing", string(plain.AppendResult(nil, "7", nil)), `{"id":7,"result":null}`},
		{"error", string(plain.AppendError(nil, "7", &Error{Code: -32000, Message: "<no>"})), `{"id":7,"error":{"code":-32000,"message":"<no>"}}`},
		{"error without an ID", string(plain.AppendError(nil, "", &Error{CodeParseError, "x", jsontext.Value(`{"a":1}`)})), `{"id":null,"error":{"code":-32700,"message":"x","data":{"a":1}}}`},
		{"bad UTF-8", string(plain.AppendError(nil, "7", &Error{Message: "a\xff"})), "{\"id\":7,\"error\":{\"code\":0,\"message\":\"a\uFFFD\"}}"},
		{"version", string(versioned.AppendNotification(nil, "m", []byte("{}"))), `{"jsonrpc":"2.0","method":"m","params":{}}`},
		{"version, result", string(versioned.AppendResult(nil, Null, []byte("1"))), `{"jsonrpc":"2.0","id":null,"result":1}`},
		{"version, request", string(versioned.AppendRequest(nil, "1", "m", nil)), `{"jsonrpc":"2.0","id":1,"method":"m"}`},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, test.got, test.want)
		}
	}
}

// The delta of a model's answer is the most frequent frame.
func BenchmarkAppendNotification(b *testing.B) {
	params := []byte(`{"threadId":"0198c0de-0000-7000-8000-000000000001","turnId":"0198c0de-0000-7000-8000-000000000002","itemId":"i2","delta":"A small "}`)
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = Options{}.AppendNotification(dst[:0], "item/agentMessage/delta", params)
	}
}

func BenchmarkParse(b *testing.B) {
	line := []byte(`{"id":12,"method":"turn/interrupt","params":{"threadId":"0198c0de-0000-7000-8000-000000000001","turnId":"0198c0de-0000-7000-8000-000000000002"}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, invalid := Parse(line, loose); invalid != nil {
			b.Fatal(invalid)
		}
	}
}

func BenchmarkParams(b *testing.B) {
	type interrupt struct {
		ThreadID string `json:"threadId"`
		TurnID   string `json:"turnId"`
	}
	methods := NewMethods(Method{Name: "turn/interrupt", Read: Read[interrupt]()})
	line := []byte(`{"id":12,"method":"turn/interrupt","params":{"threadId":"0198c0de-0000-7000-8000-000000000001","turnId":"0198c0de-0000-7000-8000-000000000002"}}`)
	b.ReportAllocs()
	for b.Loop() {
		f, _ := Parse(line, loose)
		if _, err := methods.Params(f, loose); err != nil {
			b.Fatal(err)
		}
	}
}
