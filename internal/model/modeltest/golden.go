package modeltest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
)

// updateGolden is the environment variable that has Golden write its files anew. A flag
// would clash with those of the packages that import this one.
const updateGolden = "UPDATE_GOLDEN"

// Golden sends req and compares the body that arrives with testdata/name.json.
func (s Subject) Golden(t *testing.T, name string, req *model.Request) {
	t.Helper()
	server := NewServer(t, Stream(Text("ok")))
	if out := collect(t, t.Context(), s.connect(t, server), req, 0); out.err != nil {
		t.Fatal(out.err)
	}
	got := jsontext.Value(server.Requests()[0].Raw)
	if err := got.Indent(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".json")
	if os.Getenv(updateGolden) != "" {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("body (-%s +got):\n%s", file, diff)
	}
}

// FollowUp asks, is answered with reply, runs its calls, and compares the body of the
// next request with testdata/name.json.
func (s Subject) FollowUp(t *testing.T, name string, reply Reply) {
	t.Helper()
	out := collect(t, t.Context(), s.connect(t, NewServer(t, reply)), Hello(), 0)
	if out.err != nil {
		t.Fatal(out.err)
	}
	req := Hello()
	out.response.Message.Model = req.Model
	req.Messages = append(req.Messages, out.response.Message)
	for _, c := range out.response.Message.Calls() {
		result := model.Block{Kind: model.KindToolResult, Result: &model.Result{CallID: c.ID, Text: "done"}}
		req.Messages = append(req.Messages, model.Message{Role: model.Tool, Blocks: []model.Block{result}})
	}
	s.Golden(t, name, req)
}
