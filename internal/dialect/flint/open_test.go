package flint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestThreadOfAnotherProcess: a thread that another process has open can be read here, but
// neither worked in nor archived; when that process is gone it can.
func TestThreadOfAnotherProcess(t *testing.T) {
	t.Parallel()
	p := newPlace(t, t.TempDir(), "text Here.\nnext\ntext There.\n")
	owner := p.open(t)
	thread := owner.start(`{}`)
	owner.begin(thread, "")
	owner.finish("decline")

	guest := p.open(t)
	var seen struct {
		Thread struct {
			Turns []wireTurn `json:"turns"`
		} `json:"thread"`
	}
	params := fmt.Sprintf(`{"threadId":%q}`, thread)
	if err := json.Unmarshal(guest.call("thread/resume", params), &seen); err != nil || len(seen.Thread.Turns) != 1 {
		t.Errorf("%d turns are read, %v", len(seen.Thread.Turns), err)
	}
	for name, params := range map[string]string{
		"turn/start":     fmt.Sprintf(`{"threadId":%q,"input":[{"type":"text","text":"go"}]}`, thread),
		"thread/archive": params,
	} {
		m := guest.ask(name, params)
		if m.Error == nil || m.Error.Code != CodeTurnInProgress || !strings.HasPrefix(m.Error.Message, "Turn already in progress") {
			t.Errorf("%s: %s", name, m.raw)
		}
	}
	if code, _ := owner.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	guest.begin(thread, "")
	if list, status := items(t, guest.finish("decline")); status != "completed" || list[len(list)-1].Text != "Here." {
		t.Errorf("%s: %v", status, list) // a process begins the script anew
	}
	if code, _ := guest.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
