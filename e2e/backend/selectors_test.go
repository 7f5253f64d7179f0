package backend

import (
	"fmt"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
)

// exchange starts a command and sends lines; after each it waits for the text that stands beside it, and returns the line.
func (b *bench) exchange(command []string, steps [][2]string) {
	b.t.Helper()
	p := stage.Launch(b.t, b.Command(b.t, command...))
	c := newRawClient(b.t, p)
	for _, step := range steps {
		if step[0] != "" {
			c.send(step[0])
		}
		if line := c.until(step[1]); strings.Contains(line, `"error":{`) && !strings.Contains(step[1], "error") {
			b.t.Fatalf("%s: %s", step[0], line)
		}
	}
}

// native sends requests of the native protocol.
func native(work string) func(id int, method, params string) string {
	return func(id int, method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, strings.ReplaceAll(params, "$work", work))
	}
}

// TestModels: models of a back end are listed, chosen, left for a model of a provider, and chosen again; the agent refuses one that
// it does not have in the turn. Its options are those of the session.
func TestModels(t *testing.T) {
	t.Parallel()
	b := newBench(t, "say One.\n\nsay Two.\n\nsay Three.", nil)
	call := native(b.Work)
	b.exchange([]string{"rpc"}, [][2]string{
		{call(1, "initialize", `"protocol":1,"client":{"name":"raw"}`), `"id":1`},
		{call(2, "host/info", ``), `"acp:scripted"`},
		{call(3, "models/list", `"discover":true`), `"acp:scripted/deep"`},
		{call(4, "session/create", `"id":"s-1","workspace":"$work"`), `"id":4`},
		{call(5, "session/state", `"session":"s-1"`), `"model":"acp:scripted/default"`},
		{call(6, "session/state", `"session":"s-1"`), `"setting":"backend.style"`},
		{call(7, "session/change", `"session":"s-1","settings":{"model":"offline/demo"}`), `"id":7`},
		{call(8, "session/state", `"session":"s-1"`), `"model":"offline/demo"`},
		{call(9, "session/follow", `"session":"s-1","from":1`), `"id":9`},
		{call(10, "turn/prompt", `"session":"s-1","id":"p-1","blocks":[{"kind":"text","text":"Go."}]`), `"reason":"completed"`},
		{call(11, "session/change", `"session":"s-1","settings":{"model":"acp:scripted/deep"}`), `"backend":"acp:scripted"`},
		{call(12, "turn/prompt", `"session":"s-1","id":"p-2","blocks":[{"kind":"text","text":"Go."}]`), `"backend_opened"`},
		{"", `"reason":"completed"`},
		{call(13, "session/change", `"session":"s-1","settings":{"model":"acp:scripted/none"}`), `"id":13`},
		{call(14, "session/change", `"session":"s-1","settings":{"model":"acp:other/x"}`), `"error":{`},
	})
	got := b.received()
	if !strings.Contains(got, `"configId":"model"`) || !strings.Contains(got, `"value":"deep"`) {
		t.Errorf("the agent got\n%s", got)
	}
}

// TestModelLists: the lists of all dialects have the models of the back end, the default first where the protocol has one.
func TestModelLists(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		command []string
		steps   [][2]string
	}{
		"flint": {[]string{"flint"}, [][2]string{
			{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"raw","version":"1"}}}`, `"id":1`},
			{`{"jsonrpc":"2.0","id":2,"method":"model/list","params":{}}`, `{"id":"acp:scripted/default"`},
		}},
		"pisces": {[]string{"pisces", "--mode", "rpc"}, [][2]string{
			{`{"id":"1","type":"get_available_models"}`, `"provider":"acp:scripted"`},
			{`{"id":"2","type":"set_model","provider":"acp:scripted","modelId":"deep"}`, `"success":true`},
			{`{"id":"3","type":"get_state"}`, `"id":"deep"`},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			newBench(t, "say One.", nil).exchange(test.command, test.steps)
		})
	}
}
