package acp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
)

// hello is a request that begins a connection.
const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`

// answersTo returns the answers to an input, and the exit code.
func answersTo(t *testing.T, input io.Reader, serve func(in io.Reader, out io.Writer) int) (answers []frame, code int) {
	t.Helper()
	var output bytes.Buffer
	code = serve(input, &output)
	for line := range bytes.Lines(output.Bytes()) {
		if f := readFrame(line); f.Method == "" {
			answers = append(answers, f)
		}
	}
	return answers, code
}

// wantAnswers wants these answers of a process to an input, and a regular end.
func wantAnswers(t *testing.T, input io.Reader, want string) {
	t.Helper()
	p := dialecttest.NewPlace(t, t.TempDir(), "")
	answers, code := answersTo(t, input, func(in io.Reader, out io.Writer) int {
		return serveInProcess(context.Background(), []string{"acp"}, in, out, io.Discard, p.Env)
	})
	var got []string
	for _, f := range answers {
		got = append(got, f.answer())
	}
	if strings.Join(got, " ") != want || code != 0 {
		t.Errorf("answers %q, exit code %d, want %s", got, code, want)
	}
}

// answer returns the id of an answer, with the code if it is an error.
func (f frame) answer() string {
	if f.Error != nil {
		return fmt.Sprintf("%s:%d", f.ID, f.Error.Code)
	}
	return string(f.ID)
}

// TestFraming: what a transcript cannot hold, byte for byte.
func TestFraming(t *testing.T) {
	const mark = "\ufeff"
	request := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"authenticate","params":{}}`, id)
	}
	for name, test := range map[string]struct {
		input string
		want  string // answers
	}{
		"CRLF and blank lines":    {hello + "\r\n\r\n\n \t \n" + request(2) + "\r\n", "0 2:-32602"},
		"mark on the first line":  {mark + hello + "\n" + request(2) + "\n", "0 2:-32602"},
		"mark on another line":    {hello + "\n" + mark + request(2) + "\n" + request(3) + "\n", "0 null:-32700 3:-32602"},
		"last line without LF":    {hello + "\n" + request(2), "0 2:-32602"},
		"last line without sense": {hello + "\n{", "0 null:-32700"},
		"blanks around":           {" \t" + hello + " \n\t" + request(2) + " ", "0 2:-32602"},
		"two on a line":           {hello + "\n" + request(2) + request(3) + "\n" + request(4), "0 null:-32700 4:-32602"},
		"invalid UTF-8":           {hello + "\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"\xff\"}\n" + request(3), "0 null:-32700 3:-32602"},
		"NUL":                     {hello + "\n\x00\n" + request(3), "0 null:-32700 3:-32602"},
		"deep":                    {hello + "\n" + `{"jsonrpc":"2.0","id":2,"method":"x","params":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}\n" + request(3), "0 null:-32700 3:-32602"},
		"only a mark":             {mark, ""},
		"nothing":                 {"", ""},
		"blank lines only":        {"\n\r\n \n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantAnswers(t, strings.NewReader(test.input), test.want)
		})
	}
}

// A repeater is an endless text.
type repeater byte

func (r repeater) Read(p []byte) (int, error) {
	if len(p) > 0 {
		p[0] = byte(r)
	}
	for n := 1; n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
	return len(p), nil
}

// TestLongLine: a line of the greatest length is read, a longer one is refused, and the line after it is read.
func TestLongLine(t *testing.T) {
	begin, end := `{"jsonrpc":"2.0","id":1,"method":"_`, `"}`+"\n"
	line := func(length int) io.Reader {
		return io.MultiReader(strings.NewReader(begin), io.LimitReader(repeater('x'), int64(length-len(begin)-len(`"}`))), strings.NewReader(end))
	}
	for length, want := range map[int]string{lineLimit: "0 1:-32601 2:-32601", lineLimit + 1: "0 null:-32600 2:-32601"} {
		wantAnswers(t, io.MultiReader(strings.NewReader(hello+"\n"), line(length), strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"_next"}`)), want)
	}
}
