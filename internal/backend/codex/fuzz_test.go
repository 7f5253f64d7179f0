package codex

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
)

// FuzzNotify: whatever notifications say, output and ends are of calls that have begun, and each call ends once at most.
func FuzzNotify(f *testing.F) {
	f.Add("item/started", `{"threadId":"thread-1","turnId":"turn-1","item":{"type":"fileChange","id":"c1","changes":[`+changes+`]}}`, "item/completed", `{"item":{"type":"mcpToolCall","id":"c1","result":{"content":[{"text":"x"}]}}}`)
	f.Add("item/started", `{"item":{"type":"commandExecution","id":"c1","command":"/bin/sh -c 'x'"}}`, "item/commandExecution/outputDelta", `{"itemId":"c1","delta":"x"}`)
	f.Add("turn/completed", `{"turn":{"id":"turn-1","status":"failed","error":{"codexErrorInfo":{"a":1}}}}`, "error", `{"willRetry":true,"error":{"message":"Reconnecting... 1/x"}}`)
	f.Add("thread/tokenUsage/updated", `{"tokenUsage":{"total":{"totalTokens":-1}}}`, "thread/status/changed", `{"status":"idle"}`)
	f.Add("mcpServer/startupStatus/updated", `{"status":"failed","error":1}`, "serverRequest/resolved", `{"requestId":1}`)
	f.Add("turn/plan/updated", `{"plan":[{"status":null}]}`, "item/reasoning/textDelta", `{"delta":"x","contentIndex":-1}`)
	a := newFixture(f, "").open(backend.Opening{}).(*agent)
	f.Fuzz(func(t *testing.T, method, params, next, nextParams string) {
		open := map[string]bool{}
		turn := newTurn(a, func(u backend.Update, err error) bool {
			switch u := u.(type) {
			case backend.Call:
				if open[u.ID] || u.Level == 0 || !u.Input.IsValid() {
					t.Errorf("call %+v, open before %v", u, open[u.ID])
				}
				open[u.ID] = true
			case backend.Output:
				if !open[u.Call] {
					t.Errorf("output of call %q, which is not open", u.Call)
				}
			case backend.CallEnd:
				if !open[u.Call] {
					t.Errorf("end of call %q, which is not open", u.Call)
				}
				delete(open, u.Call)
			}
			return true
		})
		defer turn.close()
		turn.identify("turn-1")
		for _, f := range []rpc.Frame{{Method: method, Params: jsontext.Value(params)}, {Method: next, Params: jsontext.Value(nextParams)}} {
			if over, _ := turn.take(f); over {
				return
			}
		}
	})
}

// FuzzSplit: words that are quoted for a shell are found again.
func FuzzSplit(f *testing.F) {
	f.Add("/bin/bash", "-lc", `echo "it's" $HOME`)
	f.Add("a b", "", "\\\n\"")
	f.Fuzz(func(t *testing.T, one, two, three string) {
		words := []string{one, two, three}
		for _, quote := range []func(string) string{
			func(w string) string { return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" },
			func(w string) string {
				return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(w) + `"`
			},
		} {
			line := quote(one) + " " + quote(two) + " " + quote(three)
			got, ok := split(line)
			if !ok || strings.Join(got, "\x00") != strings.Join(words, "\x00") {
				t.Errorf("%s has the words %q, want %q", line, got, words)
			}
		}
		_ = commandOf(one)
	})
}
