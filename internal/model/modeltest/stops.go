package modeltest

import (
	"testing"

	"parley.dev/parley/internal/model"
)

// stops are reasons to stop as servers write them, and what they are read as: a stop, or a failure.
var stops = []struct {
	reason string
	stop   model.Stop
	kind   model.ErrorKind
}{
	{reason: "stop", stop: model.StopEnd},
	{reason: "STOP", stop: model.StopEnd},
	{reason: "end_turn", stop: model.StopEnd},
	{reason: "eos", stop: model.StopEnd},
	{reason: "function_call", stop: model.StopEnd},
	{reason: "length", stop: model.StopTokens},
	{reason: "model_length", stop: model.StopTokens},
	{reason: "model_context_window_exceeded", stop: model.StopTokens},
	{reason: "content_filter", stop: model.StopRefused},
	{reason: "content_filter: PROHIBITED_CONTENT", stop: model.StopRefused},
	{reason: "SAFETY", stop: model.StopRefused},
	{reason: "sensitive", stop: model.StopRefused},
	{reason: "error", kind: model.Overloaded},
	{reason: "network_error", kind: model.Overloaded},
	{reason: "insufficient_system_resource", kind: model.Overloaded},
	{reason: "abort", kind: model.Overloaded},
	{reason: "function_call_filter: MALFORMED_FUNCTION_CALL", kind: model.BrokenStream},
	{reason: "a new one", kind: model.BrokenStream},
}

// testStops ends answers with reasons of any wire: gateways send the words of one on another. An
// answer that the server could not finish is a failure, with text before it and without.
func testStops(t *testing.T, s Subject) {
	for _, stop := range stops {
		t.Run(stop.reason, func(t *testing.T) {
			end := Stop(model.Stop(stop.reason))
			p := s.connect(t, NewServer(t, Stream(Text("Half"), end), Stream(end)))
			for _, said := range []string{"Half", ""} {
				out := collect(t, t.Context(), p, Hello(), 0)
				if out.text() != said {
					t.Errorf("said %q, want %q", out.text(), said)
				}
				if stop.kind != "" {
					wantError(t, out.err, &model.Error{Kind: stop.kind, Message: stop.reason})
				} else if out.err != nil || out.response.Stop != stop.stop {
					t.Errorf("%v, %+v; want the stop %s", out.err, out.response, stop.stop)
				} else if moderated := stop.stop == model.StopRefused && (said == "" || s.Wire == Anthropic); out.response.Moderated != moderated {
					t.Errorf("with the text %q the answer is moderated: %t, want %t", said, out.response.Moderated, moderated)
				}
			}
		})
	}
}
