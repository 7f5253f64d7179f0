package acp

import (
	"testing"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
)

// FuzzUpdates: whatever an agent reports, a call that has begun ends once at most.
func FuzzUpdates(f *testing.F) {
	f.Add([]byte(`{"update":{"sessionUpdate":"tool_call","toolCallId":"c","kind":"execute","status":"completed","rawInput":{"command":["a"]},"content":[{"type":"diff"}]}}`),
		[]byte(`{"update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","rawOutput":{"metadata":{"exit":1}},"_meta":{"terminal_exit":{}}}}`))
	f.Add([]byte(`{"update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"a","type":"boolean","currentValue":null},{"id":"b","options":[{"options":[{}]}]}]}}`),
		[]byte(`{"update":{"sessionUpdate":"current_mode_update","currentModeId":"x"}}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		begun, ended := map[string]bool{}, map[string]bool{}
		a := &agent{}
		tu := &turn{agent: a, calls: map[string]*call{}, held: time.NewTimer(time.Hour), yield: func(u backend.Update, err error) bool {
			switch u := u.(type) {
			case backend.Call:
				begun[u.ID] = true
			case backend.CallEnd:
				if begun[u.Call] && ended[u.Call] {
					t.Errorf("%s ends twice", u.Call)
				}
				ended[u.Call] = begun[u.Call]
			}
			return err == nil
		}}
		defer tu.held.Stop()
		for _, data := range [][]byte{first, second} {
			if over, err := tu.take(rpc.Frame{Method: "session/update", Params: data}); over || err != nil {
				t.Errorf("an update ends the turn: %v", err)
			}
		}
		tu.releaseKnown()
		_ = a.settings.selectors()
	})
}
