package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model/modeltest"
)

// TestModeration: a prompt that the moderation of the endpoint refuses is refused once; the next request
// has a note in its place. The messages of that request are those in testdata/moderation.
func TestModeration(t *testing.T) {
	t.Parallel()
	refusals := map[string]string{
		"chat":      `{"error":{"message":"Content Exists Risk","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`,
		"responses": `{"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy.","type":"invalid_request_error","param":null,"code":"invalid_prompt"}}`,
		"anthropic": `{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`,
	}
	for name, wire := range wires {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t, wire, modeltest.Stream(modeltest.Text("Hello.")), modeltest.Refuse(400, refusals[name]), modeltest.Stream(modeltest.Text("Yes.")))
			s := b.place(t).serve(t)
			s.Prompt("Hi.")
			s.WantCompleted()
			s.Prompt("Something bad.")
			if e := s.Until("turn_complete").Of("error").Last(); e.Code != "provider_rejected" {
				t.Errorf("%s", e.Raw)
			}
			s.Prompt("Are you there?")
			s.WantCompleted()
			wantMessages(t, filepath.Join("testdata", "moderation", name+".json"), b.Requests()[2].Raw)
		})
	}
}

// wantMessages compares the messages of a request, without the system prompt, with a file. With
// UPDATE_GOLDEN in the environment it writes the file.
func wantMessages(t *testing.T, file, body string) {
	t.Helper()
	var req struct {
		Messages []jsontext.Value `json:"messages"`
		Input    []jsontext.Value `json:"input"`
	}
	if err := json.Unmarshal([]byte(body), &req); err != nil {
		t.Fatal(err)
	}
	got := jsontext.Value("[")
	for _, m := range append(req.Messages, req.Input...) {
		var role struct {
			Role string `json:"role"`
		}
		if err := json.Unmarshal(m, &role); err != nil {
			t.Fatal(err)
		}
		if role.Role == "system" || role.Role == "developer" {
			continue
		}
		if len(got) > 1 {
			got = append(got, ',')
		}
		got = append(got, m...)
	}
	got = append(got, ']')
	if err := got.Indent(); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("messages (-%s +got):\n%s", file, diff)
	}
}
