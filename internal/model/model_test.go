package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAccumulator(t *testing.T) {
	var a Accumulator
	for _, d := range []Delta{
		{Kind: ThinkingDelta, Block: 0, Text: "hm"},
		{Kind: ThinkingDelta, Block: 0, Text: "m", Signature: "sig"},
		{Kind: ToolCallStart, Block: 2, CallID: "c1", Name: "read"},
		{Kind: TextDelta, Block: 1, Text: "I "},
		{Kind: ToolInputDelta, Block: 2, Text: `{"path":`},
		{Kind: ToolCallStart, Block: 3, CallID: "c2", Name: "list"},
		{Kind: TextDelta, Block: 1, Text: "look"},
		{Kind: ToolInputDelta, Block: 2, Text: `"a"}`},
		{Kind: TextDelta, Block: 4},
		{Kind: ThinkingDelta, Block: 5, Text: "in ", Summary: true},
		{Kind: ThinkingDelta, Block: 5, Text: "short", Summary: true},
		{Kind: ThinkingDelta, Block: 5, Signature: "sig"},
		{Kind: TextDelta, Block: -1, Text: "lost"},
		{Kind: TextDelta, Block: 1 << 30, Text: "lost"},
		{Kind: Done},
	} {
		a.Add(d)
	}
	want := Message{Role: Assistant, Blocks: []Block{
		{Kind: KindThinking, Text: "hmm", Signature: "sig"},
		{Kind: KindText, Text: "I look"},
		{Kind: KindToolCall, Call: &Call{ID: "c1", Name: "read", Input: []byte(`{"path":"a"}`)}},
		{Kind: KindToolCall, Call: &Call{ID: "c2", Name: "list", Input: []byte(`{}`)}},
		{Kind: KindThinking, Text: "in short", Signature: "sig", Summary: true},
	}}
	if diff := cmp.Diff(want, a.Message()); diff != "" {
		t.Error(diff)
	}
	if partial := a.Partial(); len(partial.Calls()) != 0 || partial.Text() != "I look" {
		t.Errorf("partial = %+v", partial)
	}
}

func TestCallInput(t *testing.T) {
	for raw, want := range map[string]string{
		``: `{}`, " \n": `{}`, `{"a":1}`: `{"a":1}`, `{"a":`: `"{\"a\":"`, `[1]`: `"[1]"`, "\xff": "\"\uFFFD\"",
	} {
		if got := string(CallInput(raw)); got != want {
			t.Errorf("CallInput(%q) = %s, want %s", raw, got, want)
		}
	}
}

func TestErrorText(t *testing.T) {
	for want, e := range map[string]Error{
		"BACKEND_ERROR (HTTP 502): down": {Code: "BACKEND_ERROR", Status: 502, Message: "down"},
		"HTTP 502: down":                 {Status: 502, Message: "down"},
		"BACKEND_ERROR: down":            {Code: "BACKEND_ERROR", Message: "down"},
		"down":                           {Message: "down"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTemporary(t *testing.T) {
	want := map[ErrorKind]bool{
		NotConfigured: false, Auth: false, RateLimited: true, Quota: false, Rejected: false,
		ContextTooLong: false, Overloaded: true, Unreachable: true, BrokenStream: true,
	}
	for kind, temporary := range want {
		if got := (&Error{Kind: kind}).Temporary(); got != temporary {
			t.Errorf("%s is temporary: %t", kind, got)
		}
	}
}

func TestCost(t *testing.T) {
	p := Price{Input: 3, Output: 15, CacheRead: 0.5, CacheWrite: 4}
	u := Usage{Input: 1_000_000, Output: 100_000, CacheRead: 2_000_000, CacheWrite: 250_000}
	if got := p.Cost(u); got != 3+1.5+1+1 {
		t.Errorf("cost = %v", got)
	}
	if u.Context() != 3_250_000 {
		t.Errorf("context = %d", u.Context())
	}
}

func TestDataURL(t *testing.T) {
	if got := (Image{MIME: "image/png", Data: []byte("\x00\xffab")}).DataURL(); got != "data:image/png;base64,AP9hYg==" {
		t.Error(got)
	}
}
