package sse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
)

// TestCallsStayTogether checks that the deltas of a call are not mixed with others.
func TestCallsStayTogether(t *testing.T) {
	type piece struct {
		block int
		text  string // "call": it begins; "close": it ends; else text or a piece of the input
	}
	for name, test := range map[string]struct {
		pieces []piece
		want   string
	}{
		"by turns": {
			[]piece{{1, "call"}, {2, "call"}, {1, `{"a"`}, {2, `{"b`}, {1, `:1}`}, {2, `":2}`}},
			`1 call, 1 {"a", 1 :1}, 2 call, 2 {"b, 2 ":2}`,
		},
		"three, the middle one last": {
			[]piece{{1, "call"}, {2, "call"}, {3, "call"}, {3, `{}`}, {1, `{}`}, {2, `{`}, {2, `}`}},
			"1 call, 1 {}, 2 call, 2 {, 2 }, 3 call, 3 {}",
		},
		"text goes on": {[]piece{{0, "a"}, {1, "call"}, {0, "b"}, {1, `{"t":"}\\"`}, {1, `]"}`}, {0, "c"}}, `0 a, 1 call, 1 {"t":"}\\", 1 ]"}, 0 b, 0 c`},
		"no input":     {[]piece{{1, "call"}, {2, "call"}, {2, `{}`}}, "1 call, 2 call, 2 {}"},
		"closed":       {[]piece{{1, "call"}, {1, "close"}, {2, "call"}, {2, "close"}, {1, `{}`}}, "1 call, 2 call, 1 {}"},
		"never whole":  {[]piece{{1, "call"}, {1, "{"}, {2, "call"}, {0, "a"}, {2, "{"}, {1, `"`}, {0, "b"}}, `1 call, 1 {, 1 ", 2 call, 2 {, 0 a, 0 b`},
	} {
		var got []string
		calls := map[int]string{} // by number
		to := newAnswer(&model.Request{}, func(d model.Delta, _ error) bool {
			switch d.Kind {
			case model.ToolCallStart:
				calls[d.Block] = d.CallID
				got = append(got, d.CallID+" call")
			case model.ToolInputDelta:
				got = append(got, calls[d.Block]+" "+d.Text)
			case model.TextDelta:
				got = append(got, "0 "+d.Text)
			}
			return true
		})
		blocks := map[int]int{}
		for _, p := range test.pieces {
			n, begun := blocks[p.block]
			switch {
			case p.text == "call":
				n = to.Call(fmt.Sprint(p.block), "tool")
			case p.text == "close":
				to.Close(n)
			case !begun:
				n = to.Open()
			}
			blocks[p.block] = n
			if p.text == "call" || p.text == "close" {
				continue
			}
			quoted, _ := jsontext.AppendQuote(nil, p.text)
			say := to.Input
			if p.block == 0 {
				say = to.Text
			}
			if err := say(n, quoted); err != nil {
				t.Fatal(err)
			}
		}
		to.finish()
		if diff := cmp.Diff(strings.Split(test.want, ", "), got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}
