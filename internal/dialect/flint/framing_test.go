package flint

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestFraming: what a transcript cannot hold, byte for byte.
func TestFraming(t *testing.T) {
	const mark = "\ufeff"
	hello := `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"x","version":"1"}}}`
	list := func(id int) string { return fmt.Sprintf(`{"id":%d,"method":"thread/list"}`, id) }
	for name, test := range map[string]struct {
		said string
		want string // ids of the answers, with codes of errors
	}{
		"CRLF and blank lines":    {hello + "\r\n\r\n\n \t \n" + list(2) + "\r\n", "1 2"},
		"mark on the first line":  {mark + hello + "\n" + list(2) + "\n", "1 2"},
		"mark on another line":    {hello + "\n" + mark + list(2) + "\n" + list(3) + "\n", "1 null:-32700 3"},
		"last line without LF":    {hello + "\n" + list(2), "1 2"},
		"last line without sense": {hello + "\n{", "1 null:-32700"},
		"blanks around":           {" \t" + hello + " \n\t" + list(2) + " ", "1 2"},
		"two on a line":           {hello + "\n" + list(2) + list(3) + "\n" + list(4), "1 2:-32700 4"},
		"invalid UTF-8":           {hello + "\n{\"id\":2,\"method\":\"\xff\"}\n" + list(3), "1 2:-32700 3"},
		"NUL":                     {hello + "\n\x00\n" + list(3), "1 null:-32700 3"},
		"deep":                    {hello + "\n" + `{"id":2,"method":"thread/list","params":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}\n" + list(3), "1 2:-32700 3"},
		"only a mark":             {mark, ""},
		"nothing":                 {"", ""},
		"blank lines only":        {"\n\r\n \n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, t.TempDir(), "")
			var heard bytes.Buffer
			if code := p.laws.serve(context.Background(), []string{"flint"}, strings.NewReader(test.said), &heard, io.Discard, p.Env); code != 0 {
				t.Errorf("exit code %d", code)
			}
			var got []string
			for line := range bytes.Lines(heard.Bytes()) {
				var m message
				if err := json.Unmarshal(line, &m); err != nil {
					t.Fatalf("%v in %s", err, line)
				}
				answer := string(m.ID)
				if m.Error != nil {
					answer = fmt.Sprintf("%s:%d", m.ID, m.Error.Code)
				}
				got = append(got, answer)
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("%q, want %s", got, test.want)
			}
		})
	}
}
