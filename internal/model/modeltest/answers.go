package modeltest

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley.dev/parley/internal/model"
)

func thinking(text string) model.Block { return model.Block{Kind: model.KindThinking, Text: text} }

func summary(text string) model.Block {
	return model.Block{Kind: model.KindThinking, Text: text, Summary: true}
}

func call(id, name, input string) model.Block {
	return model.Block{Kind: model.KindToolCall, Call: &model.Call{ID: id, Name: name, Input: jsontext.Value(input)}}
}

// unsigned compares messages but for signatures, which each wire has its own of.
var unsigned = cmpopts.IgnoreFields(model.Block{}, "Signature")

var answers = []struct {
	name   string
	parts  []Part
	blocks []model.Block
	stop   model.Stop
	usage  model.Usage
}{{
	name:   "text",
	parts:  []Part{Text("Hel"), Text(""), Text("lo, wörld \"quoted\"\n\t😀"), Usage(model.Usage{Input: 7, Output: 3})},
	blocks: []model.Block{model.TextBlock("Hello, wörld \"quoted\"\n\t😀")},
	stop:   model.StopEnd,
	usage:  model.Usage{Input: 7, Output: 3},
}, {
	name:   "thinking",
	parts:  []Part{Thinking("Let me "), Thinking("see."), Signature("c2ln"), Text("Yes."), Usage(model.Usage{Input: 5, Output: 9, Thinking: 6})},
	blocks: []model.Block{thinking("Let me see."), model.TextBlock("Yes.")},
	stop:   model.StopEnd,
	usage:  model.Usage{Input: 5, Output: 9, Thinking: 6},
}, {
	name:   "summary",
	parts:  []Part{Summary("Let me "), Summary("see."), Signature("c2ln"), Text("Yes."), Usage(model.Usage{Input: 5, Output: 9, Thinking: 6})},
	blocks: []model.Block{summary("Let me see."), model.TextBlock("Yes.")},
	stop:   model.StopEnd,
	usage:  model.Usage{Input: 5, Output: 9, Thinking: 6},
}, {
	name: "calls",
	parts: []Part{
		Text("Looking."), Call("call_a", "read", `{"pa`, `th":"`, `ä.go"}`), Call("call_b", "shell", `{"command":"ls \"x\""}`), Call("call_c", "list"),
		Usage(model.Usage{Input: 10, Output: 20, CacheRead: 300, CacheWrite: 40}),
	},
	blocks: []model.Block{
		model.TextBlock("Looking."), call("call_a", "read", `{"path":"ä.go"}`), call("call_b", "shell", `{"command":"ls \"x\""}`), call("call_c", "list", `{}`),
	},
	stop:  model.StopTools,
	usage: model.Usage{Input: 10, Output: 20, CacheRead: 300, CacheWrite: 40},
}, {
	name:   "input that is not JSON",
	parts:  []Part{Call("call_a", "read", `{"path":`), Usage(model.Usage{Input: 1, Output: 1})},
	blocks: []model.Block{call("call_a", "read", `"{\"path\":"`)},
	stop:   model.StopTools,
	usage:  model.Usage{Input: 1, Output: 1},
}, {
	name:   "ids missing and repeated",
	parts:  []Part{Call("", "a", `{}`), Call("", "b", `{}`), Call("x", "c", `{}`), Call("x", "d", `{}`), Usage(model.Usage{Input: 1, Output: 1})},
	blocks: []model.Block{call("call_1_0", "a", `{}`), call("call_1_1", "b", `{}`), call("x", "c", `{}`), call("call_1_3", "d", `{}`)},
	stop:   model.StopTools,
	usage:  model.Usage{Input: 1, Output: 1},
}, {
	name:   "output cap",
	parts:  []Part{Text("Cut"), Stop(model.StopTokens), Usage(model.Usage{Input: 1, Output: 1})},
	blocks: []model.Block{model.TextBlock("Cut")},
	stop:   model.StopTokens,
	usage:  model.Usage{Input: 1, Output: 1},
}, {
	name:   "refused",
	parts:  []Part{Text("I"), Stop(model.StopRefused), Usage(model.Usage{Input: 1, Output: 1})},
	blocks: []model.Block{model.TextBlock("I")},
	stop:   model.StopRefused,
	usage:  model.Usage{Input: 1, Output: 1},
}, {
	name:   "no usage",
	parts:  []Part{Text("12345678")},
	blocks: []model.Block{model.TextBlock("12345678")},
	stop:   model.StopEnd,
	usage:  model.Usage{Input: 1, Output: 2, Estimated: true},
}, {
	name:   "comments and unknown events",
	parts:  []Part{Raw(": keep-alive\n\n"), Text("a"), Raw("id: 7\nretry: 10\n: x\n\n"), Text("b"), Usage(model.Usage{Input: 1, Output: 1})},
	blocks: []model.Block{model.TextBlock("ab")},
	stop:   model.StopEnd,
	usage:  model.Usage{Input: 1, Output: 1},
}}

func testAnswers(t *testing.T, s Subject) {
	for _, a := range answers {
		t.Run(a.name, func(t *testing.T) {
			server := NewServer(t, Stream(a.parts...), Stream(a.parts...).SplitEvery(7))
			p := s.connect(t, server)
			for range 2 {
				out := collect(t, t.Context(), p, Hello(), 0)
				if out.err != nil {
					t.Fatal(out.err)
				}
				want := &model.Response{
					Message: model.Message{Role: model.Assistant, Blocks: s.Wire.supported(a.blocks)},
					Stop:    a.stop, Usage: a.usage, Model: Model, Moderated: a.stop == model.StopRefused && s.Wire == Anthropic,
				}
				if diff := cmp.Diff(want, out.response, unsigned); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
}

// testSplits cuts the bytes of a small reply at every place.
func testSplits(t *testing.T, s Subject) {
	reply := Stream(Thinking("ü…"), Signature("c2ln"), TextJSON(`"a\ud83d\ude00é"`), Call("c", "r", `{"p":"ß`, `"}`), Usage(model.Usage{Input: 2, Output: 2}))
	length := len(s.Wire.Render(reply))
	cut := &cutting{}
	p := s.connect(t, NewServer(t, reply), func(c *Client) { cut.RoundTripper, c.HTTP.Transport = c.HTTP.Transport, cut })
	var whole outcome
	for at := range length {
		cut.at = at
		out := collect(t, t.Context(), p, Hello(), 0)
		if out.err != nil {
			t.Fatalf("cut at %d: %v", at, out.err)
		}
		if at == 0 {
			whole = out
		}
		if diff := difference(whole.response, out.response); diff != "" {
			t.Fatalf("cut at %d (-whole +cut):\n%s", at, diff)
		}
	}
	if got := whole.text(); got != "a😀é" {
		t.Errorf("text %q", got)
	}
}

// testHalfRunes splits runes between deltas, as escapes and as bytes.
func testHalfRunes(t *testing.T, s Subject) {
	for _, test := range []struct {
		name   string
		pieces []string
		want   string
	}{
		{"surrogates", []string{`"a\ud83d"`, `"\ude00b"`}, "a😀b"},
		{"capital escapes", []string{`"\uD83D"`, `""`, `"\uDE00"`}, "😀"},
		{"bytes", []string{"\"a\xf0\"", "\"\x9f\x98\"", "\"\x80b\""}, "a😀b"},
		{"an escaped backslash is no escape", []string{`"\\ud83d"`, `"\\ude00"`}, `\ud83d\ude00`},
		{"no second half", []string{`"\ud83d"`, `"x"`, `"\ud83d"`}, "\uFFFDx\uFFFD"},
		{"no first half", []string{`"\ude00"`, "\"\x80x\""}, "\uFFFD\uFFFDx"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var parts []Part
			for _, piece := range test.pieces {
				parts = append(parts, TextJSON(piece))
			}
			out := collect(t, t.Context(), s.connect(t, NewServer(t, Stream(parts...))), Hello(), 0)
			if out.err != nil || out.text() != test.want {
				t.Errorf("got %q, %v; want %q", out.text(), out.err, test.want)
			}
		})
	}
}
