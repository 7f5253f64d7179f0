package anthropic

import (
	"testing"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

// TestStopSequence checks that a stop sequence is distinguished from the end of an answer.
func TestStopSequence(t *testing.T) {
	for _, want := range []model.Stop{model.StopSequence, model.StopEnd} {
		server := modeltest.NewServer(t, modeltest.Stream(modeltest.Text("a"), modeltest.Stop(want)))
		var got *model.Response
		for d, err := range New(Options{BaseURL: server.URL}).Stream(t.Context(), modeltest.Hello()) {
			if err != nil {
				t.Fatal(err)
			}
			got = d.Response
		}
		if got == nil || got.Stop != want {
			t.Errorf("the answer stopped with %+v, want %s", got, want)
		}
	}
}

// TestUsageAtStart checks that the size of the request is yielded before the answer.
func TestUsageAtStart(t *testing.T) {
	server := modeltest.NewServer(t, modeltest.Stream(modeltest.Text("a"), modeltest.Usage(model.Usage{Input: 7, CacheRead: 3, Output: 2})))
	var kinds []model.DeltaKind
	for d, err := range New(Options{BaseURL: server.URL}).Stream(t.Context(), modeltest.Hello()) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Kind == model.UsageDelta && d.Usage.Context() != 10 {
			t.Errorf("the request has %+v", d.Usage)
		}
		kinds = append(kinds, d.Kind)
	}
	if len(kinds) != 3 || kinds[0] != model.UsageDelta {
		t.Errorf("the deltas are of kinds %v", kinds)
	}
}

// TestWholeAnswer reads the answer of a gateway that cannot stream.
func TestWholeAnswer(t *testing.T) {
	document := `{"id":"m","type":"message","role":"assistant","model":"c","content":[{"type":"thinking","thinking":"Hm","signature":"s"},{"type":"text","text":"Hi"},` +
		`{"type":"tool_use","id":"a","name":"x","input":{"n": 1}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":3}}`
	server := modeltest.NewServer(t, modeltest.Refuse(200, document, "Content-Type", "application/json"))
	var got *model.Response
	for d, err := range New(Options{BaseURL: server.URL}).Stream(t.Context(), modeltest.Hello()) {
		if err != nil {
			t.Fatal(err)
		}
		got = d.Response
	}
	calls := got.Message.Calls()
	if got.Message.Text() != "Hi" || len(calls) != 1 || string(calls[0].Input) != `{"n": 1}` || got.Message.Blocks[0].Signature == "" ||
		got.Stop != model.StopTools || got.Usage != (model.Usage{Input: 7, Output: 3}) || got.Model != "c" {
		t.Errorf("%+v", got)
	}
}
