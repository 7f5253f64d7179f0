package recording

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/model/modeltest"
)

// TestRoundTrip records answers, writes and reads them, and plays them again.
func TestRoundTrip(t *testing.T) {
	bodies := []string{"data: one\n\ndata: -- not a section --x\n\n", "{\"error\":{}}\n", "event: end\r\n\r\n"}
	n := 0
	provider := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Set-Cookie", "secret")
		if n == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = w.Write([]byte(bodies[n]))
		n++
	})
	ask := func(h http.Handler) (answers []*httptest.ResponseRecorder) {
		for range bodies {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/responses", nil))
			answers = append(answers, w)
		}
		return answers
	}
	recorder := NewRecorder(provider)
	recorder.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v1/models", nil))
	ask(recorder)
	path := filepath.Join(t.TempDir(), "x.txtar")
	made := &Recording{Title: "A title.", Task: "rename", Wire: modeltest.OpenAIResponses, Model: "openai/gpt-5", Answers: recorder.Answers()}
	if err := made.Write(path); err != nil {
		t.Fatal(err)
	}
	read, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if read.Name != "x" || read.Task != made.Task || read.Wire != made.Wire || read.Model != made.Model {
		t.Errorf("the recording is %+v", read)
	}
	player := NewPlayer(read, provider)
	for i, w := range ask(player) {
		if got := w.Body.String(); got != bodies[i] {
			t.Errorf("answer %d is %q, want %q", i+1, got, bodies[i])
		}
		if w.Header().Get("Set-Cookie") != "" || (w.Code == http.StatusTooManyRequests) != (i == 1) || (w.Header().Get("Retry-After") != "") != (i == 1) {
			t.Errorf("answer %d has status %d and headers %v", i+1, w.Code, w.Header())
		}
	}
	if player.Left() != 0 {
		t.Errorf("%d answers are left", player.Left())
	}
	if w := ask(player)[0]; w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "has 3 answers") {
		t.Errorf("after the end: %d %s", w.Code, w.Body)
	}
}

func TestParseFaults(t *testing.T) {
	for text, want := range map[string]string{
		"T\n-- answer 1 --\nStatus: 200\n\nx\n":                                          "has to name task",
		"T\n-- recording --\ntask a\nwire /responses\nmodel m\n-- answer 2 --\n":         `has to be "answer 1"`,
		"T\n-- recording --\ntask a\nwire /responses\nmodel m\n-- answer 1 --\n\nx\n":    "status",
		"T\n-- recording --\ntask a\nwire /responses\nmodel m\n-- answer 1 --\nbroken\n": "answer 1",
	} {
		if _, err := parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error of %q is %v, want one with %q", text, err, want)
		}
	}
}
