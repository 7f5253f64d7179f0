package pisces

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
)

// sayings is a script in which everything happens that a model can do.
const sayings = `
text One.
next
think Hm.
text Two, 
call bash {"command":"echo two"}
next
text and a half.
next
text Half
hang
fail rejected status=400 no
next
call bash {"command":"exit 3"}
call no_such_tool {}
call read {"path":"nothing.txt"}
next
text Three.
next
fail overloaded status=503 overloaded
next
text Again
fail overloaded status=502 gone
next
text Recovered.
next
call bash {"command":"echo begun; sleep 1000"}
call write {"path":"x","content":"y"}
next
hang
text Four.
next
repeat 50 text "five "
next
fail context_too_long status=400 prompt is too long
next
text ""
next
text Summed up.
next
call read {}
call grep {"pattern":"y"}
call find {"pattern":"*"}
next
usage in=120000 out=10
text Six.
next
text The summary.
next
text Seven.
next
stop max_tokens
next
call task {"agent":"quick_task","tasks":[{"id":"A","description":"","assignment":"x"},{"id":"B","description":"","assignment":"y"}]}
next
call submit_result {"result":{"data":1}}
next
call bash {"command":"sleep 1000"}
next
call todo_write {"ops":[{"op":"replace","phases":[{"name":"P","tasks":[{"content":"do","status":"pending"},{"content":"did","status":"completed"}]}]}]}
next
think Only a thought.
next
`

// requests is what a client may ask for. $entry is a place to branch at, $file a session's file.
var requests = []struct{ name, members string }{
	{CommandPrompt, `"message":"say"`},
	{CommandPrompt, `"message":"say it"`},
	{CommandPrompt, `"message":""`},
	{CommandPrompt, `"message":"say more","streamingBehavior":"steer"`},
	{CommandPrompt, `"message":"say later","streamingBehavior":"followUp"`},
	{CommandPrompt, `"message":"look at @notes.txt"`},
	{CommandPrompt, `"message":"see","images":[{"type":"image","data":"aGVsbG8=","mimeType":"image/png"}]`},
	{CommandSteer, `"message":"left"`},
	{CommandFollowUp, `"message":"and then"`},
	{CommandAbort, ""},
	{CommandAbort, ""},
	{CommandAbortAndPrompt, `"message":"rather this"`},
	{CommandAbortRetry, ""},
	{CommandBash, `"command":"echo hi"`},
	{CommandBash, `"command":"sleep 1000"`},
	{CommandAbortBash, ""},
	{CommandCompact, ""},
	{CommandCompact, `"customInstructions":"briefly"`},
	{CommandSetAutoCompaction, `"enabled":false`},
	{CommandSetAutoCompaction, `"enabled":true`},
	{CommandSetAutoRetry, `"enabled":false`},
	{CommandSetAutoRetry, `"enabled":true`},
	{CommandSetSteeringMode, `"mode":"all"`},
	{CommandSetFollowUpMode, `"mode":"all"`},
	{CommandSetFollowUpMode, `"mode":"one-at-a-time"`},
	{CommandSetInterruptMode, `"mode":"wait"`},
	{CommandSetInterruptMode, `"mode":"immediate"`},
	{CommandSetThinkingLevel, `"level":"low"`},
	{CommandSetSessionName, `"name":"a name"`},
	{CommandCycleModel, ""},
	{CommandSetModel, `"provider":"offline","modelId":"script"`},
	{CommandNewSession, ""},
	{CommandBranch, `"entryId":"$entry"`},
	{CommandBranch, `"entryId":"$entry"`},
	{CommandClone, ""},
	{CommandSwitchSession, `"sessionPath":"$file"`},
	{CommandGetState, ""},
	{CommandGetMessages, ""},
	{CommandGetSessionStats, ""},
	{CommandGetLastAssistantText, ""},
	{CommandGetBranchMessages, ""},
}

// TestAnythingGoes: whatever a client does, in whatever order, the rules of order hold (see
// checker), and the next process finds the session as this one left it.
func TestAnythingGoes(t *testing.T) {
	for range 10 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			anythingGoes(t, seed)
		})
	}
}

func anythingGoes(t *testing.T, seed uint64) {
	choose := rand.New(rand.NewPCG(seed, 0))
	p := newPlace(t, t.TempDir(), sayings+sayings)
	agent := filepath.Join(p.Home, ".pisces", "agent")
	for path, text := range map[string]string{
		filepath.Join(agent, "config.yml"): "retry: {baseDelayMs: 1, maxRetries: 2}\ncompaction: {keepRecentTokens: 10}\n",
		filepath.Join(p.Work, "notes.txt"): "a note\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := p.dial(t)
	files := []string{c.state().SessionFile}
	for range 1 + choose.IntN(40) {
		request := requests[choose.IntN(len(requests))]
		members := request.members
		switch request.name {
		case CommandBranch:
			var points BranchMessages
			c.result(&points, CommandGetBranchMessages, "")
			if len(points.Messages) == 0 {
				continue
			}
			members = fmt.Sprintf(`"entryId":%q`, points.Messages[choose.IntN(len(points.Messages))].EntryID)
		case CommandSwitchSession:
			members = `"sessionPath":` + string(rawjson.Quoted(files[choose.IntN(len(files))]))
		}
		c.ask(request.name, members)
		if choose.IntN(2) == 1 { // a client that reads what there is
			files = append(files, c.state().SessionFile)
		}
	}
	c.ask(CommandAbortBash, "")
	c.result(nil, CommandAbort, "")
	c.result(nil, CommandBash, `"command":"true"`) // after all others
	want := c.messages()
	st := c.state()
	if st.MessageCount != len(want) || st.IsStreaming || st.IsCompacting {
		t.Errorf("there are %d messages, the state says %+v", len(want), st)
	}
	c.end()
	if _, err := os.Stat(st.SessionFile); err != nil && !strings.Contains(fmt.Sprint(want), `"role":"assistant"`) {
		return // without an answer nothing need be kept
	}
	checkSessionFile(t, p, st, want)
	heir := p.dial(t, "--session", st.SessionFile)
	defer heir.end()
	if diff := cmp.Diff(want, heir.messages()); diff != "" {
		t.Errorf("as left and as found:\n%s", diff)
	}
	found := heir.state()
	found.QueuedMessageCount, found.PendingMessageCount = st.QueuedMessageCount, st.PendingMessageCount
	if diff := cmp.Diff(st, found); diff != "" {
		t.Errorf("the state as left and as found:\n%s", diff)
	}
}

// checkSessionFile reads the file of a session back.
func checkSessionFile(t *testing.T, p *place, st RpcSessionState, want []string) {
	t.Helper()
	header, entries, err := sessionfile.Read(t.Context(), st.SessionFile, filepath.Join(p.Home, ".pisces", "agent", "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	if header.ID != st.SessionID || header.Title != st.SessionName {
		t.Errorf("the header is %+v", header)
	}
	got := []string{}
	for _, m := range sessionfile.HistoryOf(entries).Context() {
		got = append(got, string(rawjson.Marshal(m)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("as sent and as in the file:\n%s", diff)
	}
}
