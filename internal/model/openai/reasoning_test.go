package openai

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

// Every delta reports whether it is of a summary, to the half of a rune that is left at the end.
func TestSummaryDeltas(t *testing.T) {
	event := func(kind, delta string) string {
		return `data: {"type":"response.reasoning_` + kind + `.delta","output_index":0,"summary_index":0,"delta":` + delta + "}\n\n"
	}
	reply := modeltest.Stream(modeltest.Raw(event("summary_text", `"a"`)+event("text", `"b"`)+event("summary_text", `"c\ud83d"`)+event("text", `null`)+
		`data: {"type":"response.completed","response":{"model":"m"}}`+"\n\n"), modeltest.End())
	p := responsesSubject.New(modeltest.Client{BaseURL: modeltest.NewServer(t, reply).URL + "/v1", Key: modeltest.Key})
	var got []model.Delta
	for d, err := range p.Stream(t.Context(), modeltest.Hello()) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Kind == model.ThinkingDelta {
			got = append(got, d)
		}
	}
	want := []model.Delta{
		{Kind: model.ThinkingDelta, Text: "a", Summary: true},
		{Kind: model.ThinkingDelta, Block: 1, Text: "b"},
		{Kind: model.ThinkingDelta, Text: "c", Summary: true},
		{Kind: model.ThinkingDelta, Text: "\uFFFD", Summary: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
