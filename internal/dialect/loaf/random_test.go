package loaf

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// answers is a script in which everything happens that a model can do.
const answers = `
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
next
text Three.
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
text Six.
`

// TestAnythingGoes: whatever a client does, in whatever order, the rules of order hold (see
// checker), and the next process finds the chats as this one left them.
func TestAnythingGoes(t *testing.T) {
	for range 6 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			choose := rand.New(rand.NewPCG(seed, 0))
			p := newPlace(t, t.TempDir(), answers+answers)
			var args []string
			if choose.IntN(2) == 1 {
				args = []string{"--events", "envelope"}
			}
			c := p.dial(t, args...)
			sessions := []string{c.create(), c.create()}
			for range 1 + choose.IntN(30) {
				session, verb := sessions[choose.IntN(2)], verbs[choose.IntN(len(verbs))]
				c.ask(verb.method, sessionParams(session, verb.params))
				if choose.IntN(2) == 1 { // a client that reads what there is
					c.get(session)
				}
			}
			c.end()
			checkHeir(t, p)
		})
	}
}

// verbs is what a client may ask of a session.
var verbs = []struct{ method, params string }{
	{"session.send", `"text":"say"`},
	{"session.send", `"text":"say more","enqueue":true`},
	{"session.send", `"text":"see","images":[{"data_url":"data:image/png;base64,aGVsbG8="}],"enqueue":true`},
	{"session.send", `"text":"see","images":[{"path":"none.png"}]`},
	{"session.steer", `"text":"left"`},
	{"session.interrupt", ""},
	{"session.get", ""},
	{"session.queue.list", ""},
	{"session.queue.clear", ""},
	{"command.execute", `"raw_command":"/compress"`},
	{"command.execute", `"raw_command":"/clear"`},
	{"command.execute", `"raw_command":"/history last"`},
	{"history.clear_session", ""},
	{"history.list", ""},
	{"model.select", `"model_id":"offline/script","provider":"openrouter","thinking_level":"OFF","compress_immediately":true`},
}

// checkHeir lets another process read every chat, and go on with it: both have the same messages.
func checkHeir(t *testing.T, p *place) {
	heir := p.dial(t)
	var list HistoryListResult
	heir.result(&list, "history.list", "")
	for _, saved := range list.Sessions {
		var chat HistoryGetResult
		heir.result(&chat, "history.get", fmt.Sprintf(`{"id":%q}`, saved.ID))
		session := heir.create()
		heir.result(nil, "command.execute", sessionParams(session, fmt.Sprintf(`"raw_command":"/history %s"`, saved.ID)))
		if diff := cmp.Diff(chat.Messages, heir.get(session).History, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("chat %s, as read and as gone on with:\n%s", saved.ID, diff)
		}
	}
	heir.end()
}
