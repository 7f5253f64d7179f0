package native

import (
	"bytes"
	"errors"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// FuzzDecode: the params of a request are refused with the code of a protocol error, or have one meaning: what was understood can be
// sent again and means the same.
func FuzzDecode(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"x"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/create","params":{"workspace":"/w","settings":{"mode":"prompt","options":{"a":["b"]}},"servers":{"s":{"command":"c"}}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"session/follow","params":{"session":"s","from":1,"transient":["text_delta"],"pace_ms":5}}`,
		`{"jsonrpc":"2.0","id":4,"method":"turn/prompt","params":{"session":"s","id":"p","blocks":[{"kind":"text","text":"ä"},{"kind":"image","image":{"blob":"x"}}]}}`,
		`{"jsonrpc":"2.0","id":5,"method":"question/answer","params":{"session":"s","question":"q","answers":null}}`,
		`{"jsonrpc":"2.0","id":6,"method":"grants/add","params":{"session":"s","target":{"tool":"shell"},"level":"session"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"session/records","params":{"session":"s","limit":1e3}}`, `{"jsonrpc":"2.0","id":8,"method":"ping"}`, `[`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		frame, invalid := jsonrpc.Parse(line, frames)
		if invalid != nil {
			if _, err := lineError(invalid); err == nil {
				t.Fatal("an invalid line has no error")
			}
			return
		}
		if frame.Kind != jsonrpc.Request {
			return
		}
		params, err := table().Params(frame, frames)
		if err != nil {
			if refusal, ok := errors.AsType[*jsonrpc.Error](paramsError(frame.Method, err)); !ok || refusal.Code == jsonrpc.CodeInternalError {
				t.Fatalf("%s: %v", line, err)
			}
			return
		}
		first := encoded(t, params)
		frame.Params = first
		again, err := table().Params(frame, frames)
		if err != nil {
			t.Fatalf("%s as %s: %v", line, first, err)
		}
		if second := encoded(t, again); !bytes.Equal(first, second) {
			t.Errorf("%s means %s, and that %s", line, first, second)
		}
	})
}

func encoded(t *testing.T, params any) []byte {
	t.Helper()
	data, err := json.Marshal(params, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
