package loaf

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
)

func TestTextTokens(t *testing.T) {
	for _, test := range []struct {
		text string
		want int
	}{
		{"", 0},
		{" \t\n ", 0},
		{"a", 1},
		{"four", 1},
		{"fives", 2},
		{"  a \n\n b\t", 1},                // "a b"
		{"Brötchen", 2},                    // 8 units, however many bytes
		{"🥖🥖", 1},                          // 2 units each
		{"🥖🥖🥖", 2},                         // 6
		{"\u00a0a\u2003b\u00a0c\u00a0", 2}, // every kind of blank: "a b c"
		{"a\xffb", 1},                      // what is no UTF-8 counts as well
		{strings.Repeat("x ", 1000), 500},  // 1999 units
	} {
		if got := textTokens(test.text); got != test.want {
			t.Errorf("textTokens(%.20q) = %d, want %d", test.text, got, test.want)
		}
	}
}

// TestEstimate computes each part by hand.
func TestEstimate(t *testing.T) {
	if got := pinnedTokens("You are a baker."); got != 20+4 {
		t.Errorf("pinned: %d", got)
	}
	if got := pinnedTokens(" \n"); got != 0 {
		t.Errorf("no prompt: %d", got)
	}
	history := []entry{
		{HistoryEntry: HistoryEntry{Text: "What is this? [Image 1]", Images: make([]Image, 1)}}, // 23 units
		{HistoryEntry: HistoryEntry{Text: "A cat."}},                                            // 6
		{HistoryEntry: HistoryEntry{Text: ""}},
	}
	if got := conversationTokens(history); got != (20+6+850)+(20+2)+20 {
		t.Errorf("conversation: %d", got)
	}
	tools := []engine.ToolInfo{
		{Name: " bash ", Description: " Runs it. ", Schema: jsontext.Value(`{ "type": "object" }`)}, // 4 + 8 + 17
		{Name: "ls", Description: "Lists.", Schema: jsontext.Value(`{}`)},                           // 2 + 6 + 2
	}
	if got := schemaTokens(tools); got != 10+18*2+16 { // ⌈39/4⌉
		t.Errorf("tools: %d", got)
	}
	if got := schemaTokens(nil); got != 0 {
		t.Errorf("no tools: %d", got)
	}
	openai, other := ProviderOpenAI, ProviderOpenRouter
	if overhead(nil) != 0 || overhead(&openai) != 42 || overhead(&other) != 48 {
		t.Error("the overhead is another")
	}
}

func TestLimits(t *testing.T) {
	for window, want := range map[int]limits{
		128_000:   {128_000, 104_960, 94_720},
		0:         {8_000, 6_560, 6_000},
		8_100:     {8_100, 6_642, 6_000},
		5_000_000: {2_000_000, 1_640_000, 1_480_000},
	} {
		if got := limitsOf(window); got != want {
			t.Errorf("limitsOf(%d) = %v, want %v", window, got, want)
		}
	}
}

// TestEstimateOnTheWire: nothing before the first turn, then the parts of what the model gets.

func TestEstimateOnTheWire(t *testing.T) {
	p := newPlace(t, t.TempDir(), "text Hi.\n")
	c := p.dial(t)
	session := c.create()
	if st := c.get(session); st.ContextTokenEstimate != 0 || st.ContextTokenBreakdown != (ContextBreakdown{}) {
		t.Errorf("before the first turn: %+v", st.ContextTokenBreakdown)
	}
	c.turn(session, "Hello?")
	b := c.get(session).ContextTokenBreakdown
	var tools ToolsResult
	c.result(&tools, "tools.list", "")
	var infos []engine.ToolInfo
	for _, tool := range tools.Tools {
		infos = append(infos, engine.ToolInfo{Name: tool.Name, Description: tool.Description, Schema: tool.InputSchema})
	}
	if want := schemaTokens(infos); b.ToolSchemaTokens != want || want == 0 {
		t.Errorf("tools: %d, want %d", b.ToolSchemaTokens, want)
	}
	if b.PinnedTokens < 100 || b.ConversationTokens != (20+2)+(20+1) || b.ProviderOverheadTokens != 48 {
		t.Errorf("%+v", b)
	}
	c.end()
}
