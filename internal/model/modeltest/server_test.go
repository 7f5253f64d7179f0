package modeltest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
)

func post(t *testing.T, url string) *http.Response {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(`{"model":"m","n":[1,true]}`))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

// The bytes are the same however they are split.
func TestServerStreams(t *testing.T) {
	reply := Stream(Thinking("Hm"), Signature("s"), Text("a😀"), Call("c", "t", "{", "}"), Usage(model.Usage{Input: 1, Output: 2}), Stop(model.StopTokens))
	for _, w := range []Wire{OpenAIChat, OpenAIResponses, Anthropic} {
		s := NewServer(t, reply, reply.SplitEvery(1), reply.SplitAt(3, 100, 101))
		for range 3 {
			body, err := io.ReadAll(post(t, w.BaseURL(s.URL)+string(w)).Body)
			if diff := cmp.Diff(w.Render(reply), string(body)); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", w, err, diff)
			}
		}
	}
}

func TestPieces(t *testing.T) {
	for _, test := range []struct {
		reply Reply
		want  []string
	}{
		{Stream(), []string{"abcdef"}},
		{Stream().SplitEvery(4), []string{"ab", "cdef"}},
		{Stream().SplitAt(3, 7, 10, 99), []string{"a", "bcde", "f"}},
	} {
		if diff := cmp.Diff(test.want, test.reply.pieces("abcdef", 2)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func TestServerKeepsRequests(t *testing.T) {
	s := NewServer(t, Refuse(418, "no", "X-Why", "tea"))
	response := post(t, s.URL+"/v1/messages")
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode != 418 || string(body) != "no" || response.Header.Get("X-Why") != "tea" {
		t.Errorf("got %d %q", response.StatusCode, body)
	}
	got := s.Requests()
	want := map[string]any{"model": "m", "n": []any{1.0, true}}
	if len(got) != 1 || got[0].Path != "/v1/messages" || !cmp.Equal(want, got[0].Body) || got[0].Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %+v", got)
	}
}

// What stands before a gate arrives while it is closed.
func TestGate(t *testing.T) {
	gate := make(chan struct{})
	reply := Stream(Text("first"), Wait(gate), Text("second"))
	response := post(t, NewServer(t, reply).URL+"/v1/chat/completions")
	all := OpenAIChat.Render(reply)
	before := make([]byte, len(OpenAIChat.Render(Stream(Text("first"), End()))))
	if _, err := io.ReadFull(response.Body, before); err != nil {
		t.Fatal(err)
	}
	close(gate)
	after, err := io.ReadAll(response.Body)
	if got := string(before) + string(after); got != all || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
