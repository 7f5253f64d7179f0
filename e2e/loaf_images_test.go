package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// noise returns bytes that cannot be compressed, the same in every run.
func noise(n int) []byte {
	data := make([]byte, n)
	source := rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(data)
	return data
}

// TestLargeImage: fifteen megabytes in a data URL reach the model byte for byte, also from
// the next process, and are the same in the session's state.
func TestLargeImage(t *testing.T) {
	t.Parallel()
	payload := base64.StdEncoding.EncodeToString(noise(15 << 20))
	seen := make(chan bool, 2)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // a list of models, which it has not
			http.NotFound(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		seen <- bytes.Contains(body, []byte(payload))
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, modeltest.OpenAIChat.Render(modeltest.Stream(modeltest.Text("Large."))))
	}))
	defer model.Close()
	p := newPlace(t)
	(&backend{wire: modeltest.OpenAIChat, url: model.URL}).use(p)
	l := p.loaf(t)
	session := l.Create()
	l.Requests++
	l.SendText(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session.send","params":{"session_id":%q,"text":"What is this?","images":[{"data_url":"data:image/png;base64,%s"}]}}`+"\n", l.Requests, session, payload))
	if got := client.LoafText(l.Turn()); got != "Large." || !stage.Await(t, seen, "the model to be asked") {
		t.Fatalf("the model did not get the image as it is; the answer is %q", got)
	}
	l.Request("session.get", map[string]string{"session_id": session})
	state, err := l.Lines.ReadString('\n')
	if err != nil || !strings.Contains(state, `"dataUrl":"data:image/png;base64,`+payload+`","byteSize":15728640`) {
		t.Errorf("the session's state does not have the image as it is: %v, %d bytes", err, len(state))
	}
	l.Leave()

	next := p.loaf(t)
	session = next.Create()
	next.Result(nil, "command.execute", map[string]string{"session_id": session, "raw_command": "/history last"})
	next.Say(session, "And now?")
	next.Turn()
	if !stage.Await(t, seen, "the model to be asked again") {
		t.Error("the next process did not send the image as it is")
	}
	next.Leave()
}

// TestHostileImages: what is no image that can be taken costs its turn a clear word, and
// nothing else; neither is anything read that does not end.
func TestHostileImages(t *testing.T) {
	t.Parallel()
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("I am here.")))
	p := b.place(t)
	p.Write(t, "notes.txt", "text")
	if err := os.Mkdir(filepath.Join(p.Work, "folder.png"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(p.Work, "pipe.png"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(p.Work, "zero.png")); err != nil {
		t.Fatal(err)
	}
	sparse, err := os.Create(filepath.Join(p.Work, "huge.png"))
	if err == nil {
		err = sparse.Truncate(1 << 40)
	}
	if err != nil {
		t.Fatal(err)
	}
	sparse.Close()
	large := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0}, 20<<20+1))
	l := p.loaf(t)
	session := l.Create()
	for problem, img := range map[string]map[string]string{
		"image too large (20.0 mb). max is 20.0 mb":    {"data_url": "data:image/png;base64," + large},
		"image too large (1048576 mb). max is 20.0 mb": {"path": "huge.png"},
		"unsupported image mime type: text/plain":      {"data_url": "data:text/plain;base64,aGVsbG8="},
		"invalid image data_url":                       {"data_url": "data:image/png;base64"},
		"file not found: ":                             {"path": "none.png"},
		"unsupported image type: .txt":                 {"path": "notes.txt"},
		"not a file: " + p.Work + "/folder.png":        {"path": "folder.png"},
		"not a file: " + p.Work + "/pipe.png":          {"path": "pipe.png"},
		"not a file: " + p.Work + "/zero.png":          {"path": "zero.png"},
	} {
		l.Say(session, "see", img)
		lines := l.Turn()
		if !client.LoafHas(lines, "session.message.appended", "inference error: "+problem) || !client.LoafHas(lines, "session.error", problem) || len(lines) != 4 {
			var said []string
			for _, line := range lines {
				said = append(said, line.Raw)
			}
			t.Errorf("want %s, there was\n%.2000s", problem, strings.Join(said, "\n"))
		}
	}
	l.Say(session, "Are you there?")
	if got := client.LoafText(l.Turn()); got != "I am here." {
		t.Errorf("the answer is %q", got)
	}
	if n := len(b.Requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	l.Leave()
}
