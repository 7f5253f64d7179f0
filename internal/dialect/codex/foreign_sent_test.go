package codex

import (
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestForeignSent: what another protocol has stored of a prompt is not read.
func TestForeignSent(t *testing.T) {
	e := event.UserMessage{
		Blocks: []model.Block{model.TextBlock("Look"), model.TextBlock("[@a](file:///a)")},
		Sent:   []byte(`[null,{"type":"resource_link","uri":"file:///a","name":"a"}]`),
	}
	const want = `[{"type":"text","text":"Look","text_elements":[]},{"type":"text","text":"[@a](file:///a)","text_elements":[]}]`
	if got := string(marshal((&view{}).inputs(e))); got != want {
		t.Errorf("the inputs are %s", got)
	}
}
