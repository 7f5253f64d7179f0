package jsonrpc

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/wire"
)

// The options of two dialects: one that leaves the version out and sends requests to its client,
// and one that is strict JSON-RPC 2.0 and sends none.
var (
	loose  = Options{Object: wire.ObjectOptions{LastDuplicateWins: true, Open: true, NullIsAbsent: true}}
	strict = Options{Version: true, AnyID: true, NullErrorID: true, OneWay: true, NonBlankMethod: true, Object: wire.ObjectOptions{Open: true}}
)

func TestParse(t *testing.T) {
	const v2 = `"jsonrpc":"2.0",`
	tests := []struct {
		name string
		o    Options
		line string
		want Frame
	}{
		{"request", loose, `{"id":1,"method":"a/b","params":{"x":1}}`, Frame{Kind: Request, ID: "1", Method: "a/b", Params: jsontext.Value(`{"x":1}`)}},
		{"any order, more members", loose, ` {"trace":[1],"method":"m","id":"q"} `, Frame{Kind: Request, ID: `"q"`, Method: "m"}},
		{"huge id", loose, `{"id":123456789012345678901234567890,"method":"m"}`, Frame{Kind: Request, ID: "123456789012345678901234567890", Method: "m"}},
		{"negative id", loose, `{"id":-0,"method":"m"}`, Frame{Kind: Request, ID: "-0", Method: "m"}},
		{"escaped id stays escaped", loose, `{"id":"\u0061","method":"m"}`, Frame{Kind: Request, ID: `"\u0061"`, Method: "m"}},
		{"empty id", loose, `{"id":"","method":"m"}`, Frame{Kind: Request, ID: `""`, Method: "m"}},
		{"escaped method", loose, `{"id":1,"method":"\u0061\/b"}`, Frame{Kind: Request, ID: "1", Method: "a/b"}},
		{"blank method", loose, `{"id":1,"method":""}`, Frame{Kind: Request, ID: "1"}},
		{"null params", loose, `{"id":1,"method":"m","params":null}`, Frame{Kind: Request, ID: "1", Method: "m"}},
		{"params of another type", loose, `{"id":1,"method":"m","params":[7]}`, Frame{Kind: Request, ID: "1", Method: "m", Params: jsontext.Value("[7]")}},
		{"version ignored", loose, `{"jsonrpc":[],"id":1,"method":"m"}`, Frame{Kind: Request, ID: "1", Method: "m"}},
		{"request with a result", loose, `{"id":1,"method":"m","result":2}`, Frame{Kind: Request, ID: "1", Method: "m"}},
		{"repeated name", loose, `{"id":1,"method":"m","id":2}`, Frame{Kind: Request, ID: "2", Method: "m"}},
		{"notification", loose, `{"method":"m","params":{}}`, Frame{Kind: Notification, Method: "m", Params: jsontext.Value("{}")}},
		{"response", loose, `{"id":7,"result":{"ok":true}}`, Frame{Kind: Response, ID: "7", Result: jsontext.Value(`{"ok":true}`)}},
		{"response null", loose, `{"id":7,"result":null}`, Frame{Kind: Response, ID: "7", Result: jsontext.Value("null")}},
		{"error", loose, `{"id":7,"error":{"code":-1,"message":"no\n","data":[1]}}`, Frame{Kind: Response, ID: "7", Error: &Error{-1, "no\n", jsontext.Value("[1]")}}},
		{"error beats result", loose, `{"id":7,"result":1,"error":{"code":3}}`, Frame{Kind: Response, ID: "7", Error: &Error{Code: 3}}},
		{"odd error", loose, `{"id":7,"error":"no"}`, Frame{Kind: Response, ID: "7", Error: &Error{}}},
		{"odd members of an error", loose, `{"id":7,"error":{"code":"x","message":1,"data":null}}`, Frame{Kind: Response, ID: "7", Error: &Error{}}},
		{"fractional code", loose, `{"id":7,"error":{"code":1.5,"message":"m"}}`, Frame{Kind: Response, ID: "7", Error: &Error{Message: "m"}}},
		{"null error", loose, `{"id":7,"error":null}`, Frame{Kind: Response, ID: "7", Error: &Error{}}},
		{"complaint about a line of ours", loose, `{"id":null,"error":{"code":-32700,"message":"Parse error"}}`, Frame{Kind: Response, ID: Null, Error: &Error{Code: -32700, Message: "Parse error"}}},

		{"strict request", strict, `{` + v2 + `"id":1.5e3,"method":"m"}`, Frame{Kind: Request, ID: "1.5e3", Method: "m"}},
		{"null id", strict, `{` + v2 + `"id":null,"method":"m"}`, Frame{Kind: Request, ID: Null, Method: "m"}},
		{"strict notification", strict, `{` + v2 + `"method":"m"}`, Frame{Kind: Notification, Method: "m"}},
		{"escaped version", strict, `{"jsonrpc":"\u0032.0","method":"m"}`, Frame{Kind: Notification, Method: "m"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, invalid := Parse([]byte(test.line), test.o)
			if invalid != nil {
				t.Fatalf("refused: %+v", invalid)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	const v2 = `"jsonrpc":"2.0",`
	tests := []struct {
		name string
		o    Options
		line string
		flaw InvalidKind
		id   ID
	}{
		{"not JSON", loose, `{oops`, NotJSON, Null},
		{"cut", loose, `{"id":1,"method":"m"`, NotJSON, "1"},
		{"cut in the method", loose, `{"id":"a","meth`, NotJSON, `"a"`},
		{"cut in the id", loose, `{"id":12`, NotJSON, Null},
		{"cut, with an id that is none", loose, `{"id":1.5,"method":`, NotJSON, Null},
		{"cut response", loose, `{"id":1000001,"result":{"decision":"acc"},`, NotJSON, Null},
		{"cut error", loose, `{"id":1000001,"error":{},"x":`, NotJSON, Null},
		{"cut request with a result", loose, `{"id":1,"result":{},"method":"m"`, NotJSON, "1"},
		{"nothing", loose, ``, NotJSON, Null},
		{"half an array", loose, `[{"id":1}`, NotJSON, Null},
		{"two frames", loose, `{"id":1,"method":"m"}{}`, NotJSON, "1"},
		{"too deep", loose, `{"id":1,"method":"m","params":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, NotJSON, "1"},
		{"not UTF-8", loose, "{\"id\":1,\"method\":\"\xff\"}", NotJSON, "1"},
		{"batch", loose, `[{"id":1,"method":"m"}]`, Batch, Null},
		{"empty batch", loose, "\t []", Batch, Null},
		{"scalar", loose, `17`, NotObject, Null},
		{"null", loose, `null`, NotObject, Null},
		{"nothing in it", loose, `{}`, NotAMessage, Null},
		{"id alone", loose, `{"id":4}`, NotAMessage, "4"},
		{"odd id alone", loose, `{"id":[4]}`, BadID, Null},
		{"result without an id", loose, `{"result":1}`, NotAMessage, Null},
		{"result for null", loose, `{"id":null,"result":1}`, BadID, Null},
		{"error for a fraction", loose, `{"id":1.5,"error":{}}`, BadID, Null},
		{"null id", loose, `{"id":null,"method":"m"}`, BadID, Null},
		{"fraction", loose, `{"id":1.5,"method":"m"}`, BadID, Null},
		{"exponent", loose, `{"id":1e2,"method":"m"}`, BadID, Null},
		{"boolean id", loose, `{"id":true,"method":"m"}`, BadID, Null},
		{"object id", loose, `{"id":{},"method":"m"}`, BadID, Null},
		{"method of a wrong type", loose, `{"id":"x","method":3}`, BadMethod, `"x"`},
		{"null method", loose, `{"id":"x","method":null,"result":1}`, BadMethod, `"x"`},
		{"method of a wrong type without an id", loose, `{"method":3}`, BadMethod, Null},
		{"both odd", loose, `{"id":[],"method":3}`, BadID, Null},

		{"no version", strict, `{"id":1,"method":"m"}`, BadVersion, Null},
		{"other version", strict, `{"jsonrpc":"1.0","id":1,"method":"m"}`, BadVersion, Null},
		{"version as a number", strict, `{"jsonrpc":2.0,"id":1,"method":"m"}`, BadVersion, Null},
		{"strict array id", strict, `{` + v2 + `"id":[],"method":"m"}`, BadID, Null},
		{"blank", strict, `{` + v2 + `"id":1,"method":" \t"}`, BadMethod, Null},
		{"no responses", strict, `{` + v2 + `"id":1,"result":2}`, NotAMessage, Null},
		{"error response", strict, `{` + v2 + `"id":null,"error":{}}`, NotAMessage, Null},
		{"strict, cut", strict, `{"id":1.50,"method":"m"`, NotJSON, "1.50"},
		{"repeated name refused", strict, `{` + v2 + `"id":1,"method":"m","params":[{"a":1,"a":2}]}`, NotJSON, "1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, invalid := Parse([]byte(test.line), test.o)
			if invalid == nil {
				t.Fatalf("accepted as %+v", f)
			}
			if invalid.Kind != test.flaw || invalid.ID != test.id {
				t.Errorf("got flaw %d for id %s, want %d for %s", invalid.Kind, invalid.ID, test.flaw, test.id)
			}
			if (invalid.Detail != "") != (test.flaw == NotJSON) {
				t.Errorf("detail %q", invalid.Detail)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, line := range []string{
		`{"id":1,"method":"a","params":{"x":[1,null]}}`, `{"method":"a"}`, `{"id":"\ud83d\ude00","result":null}`,
		`{"id":-7,"error":{"code":-32601,"message":"no","data":{}}}`, `{"jsonrpc":"2.0","id":null,"method":"a"}`, `[{}]`, `{"id":1e400}`, `{`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, o := range []Options{loose, strict} {
			frame, invalid := Parse(line, o)
			if invalid != nil {
				if invalid.ID == "" || invalid.Kind == 0 {
					t.Fatalf("%+v", invalid)
				}
				checkLine(t, o.AppendError(nil, invalid.ID, &Error{CodeInvalidRequest, invalid.Detail, nil}))
				continue
			}
			again, invalid := Parse(written(o, frame), o)
			if invalid != nil {
				t.Fatalf("%s is refused: %+v", written(o, frame), invalid)
			}
			if diff := cmp.Diff(frame, again); diff != "" {
				t.Fatalf("(-read +written and read)\n%s", diff)
			}
		}
	})
}

// written returns the frame as the Append methods write it.
func written(o Options, f Frame) []byte {
	switch {
	case f.Kind == Notification:
		return o.AppendNotification(nil, f.Method, f.Params)
	case f.Kind == Request:
		return o.AppendRequest(nil, f.ID, f.Method, f.Params)
	case f.Error != nil:
		return o.AppendError(nil, f.ID, f.Error)
	}
	return o.AppendResult(nil, f.ID, f.Result)
}

func checkLine(t *testing.T, line []byte) {
	t.Helper()
	if _, err := wire.ParseObject(line, wire.ObjectOptions{}); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
}
