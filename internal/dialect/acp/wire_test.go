package acp

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// begin opens a session with servers, and returns its id.
func (w wireTest) begin(servers string) string {
	w.t.Helper()
	w.want(`"id":0,"result"`)
	w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":%s}}`, w.place.Work, servers))
	_, id, _ := strings.Cut(w.want(`"id":1,"result"`), `"sessionId":"`)
	id, _, _ = strings.Cut(id, `"`)
	w.want("available_commands_update")
	return id
}

func (w wireTest) prompt(session string) {
	w.t.Helper()
	w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"go"}]}}`, session))
}

// until reads up to a line that contains part, and returns it.
func (w wireTest) until(part string) string {
	w.t.Helper()
	for {
		if line := w.want(); strings.Contains(line, part) {
			return line
		}
	}
}

// TestServersAreNotStored: what a client says of its tool servers is in no file afterwards.
func TestServersAreNotStored(t *testing.T) {
	w := dialWire(t, nil, "text Done.\n", `{}`)
	id := w.begin(`[{"name":"gone","command":"/no/such/program","args":["--key=sesame-args"],"env":[{"name":"TOKEN","value":"sesame-env"}]},` +
		`{"type":"http","name":"web","url":"http://127.0.0.1:9/sesame-url","headers":[{"name":"Authorization","value":"sesame-header"}]}]`)
	w.prompt(id)
	w.until(`"id":2,"result"`)
	w.end()
	files := 0
	err := filepath.WalkDir(w.place.Home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "sesame") {
			t.Errorf("%s has a secret", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}

// TestLongFile: a long text of the client is read and written whole; the model gets a part of it.
func TestLongFile(t *testing.T) {
	long := strings.Repeat(`a line of a long file\n`, 200_000) // as JSON: 4.6 MB
	w := dialWire(t, nil, "call read {\"path\":\"a.txt\"}\nnext\ntext Done.\n", `{"fs":{"readTextFile":true}}`)
	if err := os.WriteFile(filepath.Join(w.place.Work, "a.txt"), []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.prompt(w.begin(`[]`))
	w.until(`"id":0,"method":"fs/read_text_file"`)
	w.say(`{"jsonrpc":"2.0","id":0,"result":{"content":"` + long + `"}}`)
	if end := w.until(`"status":"completed"`); len(end) > 200<<10 || !strings.Contains(end, "a line of a long file") {
		t.Errorf("%d bytes: %.200s", len(end), end)
	}
	w.until(`"id":2,"result"`)
	w.end()
}
