package flint

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// stories is how many of them are played.
const stories = "25"

// hanging is what the model says before it hangs.
const hanging = "HANG"

// TestStories plays stories that were made up, with clients that answer, interrupt, resume
// and archive at any moment. The laws hold (see checker), and a fresh process reports the same
// turns with the same items.
func TestStories(t *testing.T) {
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	if before == checks.DefValue {
		if err := checks.Value.Set(stories); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = checks.Value.Set(before) }()
	}
	root := t.TempDir()
	number := 0
	rapid.Check(t, func(rt *rapid.T) {
		number++
		dir := filepath.Join(root, fmt.Sprint(number))
		if err := os.Mkdir(dir, 0o700); err != nil {
			rt.Fatalf("%v", err)
		}
		p := newPlace(rt, dir, strings.Join(rapid.SliceOfN(modelTurn, 1, 4).Draw(rt, "script"), ""))
		p.write(rt, "a.txt", "alpha\nbeta\n")
		s := &story{rt: rt, client: p.open(rt, rapid.SampledFrom([][]string{nil, {"--shapes", "sdk"}}).Draw(rt, "shapes")...)}
		s.thread = s.client.start(fmt.Sprintf(`{"approvalPolicy":%q,"sandbox":%q}`,
			rapid.SampledFrom([]string{"never", "on-request", "unlessTrusted", "always"}).Draw(rt, "policy"),
			rapid.SampledFrom([]string{"workspaceWrite", "readOnly", "dangerFullAccess"}).Draw(rt, "sandbox")))
		for range rapid.IntRange(1, 4).Draw(rt, "turns") {
			s.turn()
		}
		if code, _ := s.client.end(); code != 0 {
			rt.Errorf("exit code %d", code)
		}
	})
}

// modelTurn is what the model says in a turn: answers with calls, and one without.
var modelTurn = rapid.Custom(func(t *rapid.T) string {
	var b strings.Builder
	for _, a := range rapid.SliceOfN(modelAnswer, 0, 3).Draw(t, "answers") {
		b.WriteString(a)
	}
	b.WriteString(modelPieces.Draw(t, "last") + rapid.SampledFrom([]string{
		"next\n", "next\n", "text Over.\nnext\n", "text x\nfail broken_stream Cut off.\n", "fail rejected status=400 No.\n",
		"text " + hanging + "\nhang\n", "stop max_tokens\nusage in=1 out=1\nnext\n",
	}).Draw(t, "end"))
	return b.String()
})

// modelAnswer is an answer with calls.
var modelAnswer = rapid.Custom(func(t *rapid.T) string {
	call := rapid.SampledFrom([]string{
		`shell {"command":"echo one; echo two >&2"}`, `shell {"command":"printf 'caf\\351'; exit 3"}`, `shell {"command":"echo x > made"}`,
		`shell {"command":"true"}`, `shell {"command":"cat a.txt","dir":"none"}`, `shell {"cmd":1}`,
		`write {"path":"new.txt","content":"one\ntwo\n"}`, `write {"path":"a.txt","content":"gamma"}`, `write {"path":"empty","content":""}`,
		`edit {"path":"a.txt","old":"beta","new":"delta\nepsilon"}`, `edit {"path":"none.txt","old":"a","new":"b"}`,
		`read {"path":"a.txt"}`, `glob {"pattern":"*"}`, `grep {"pattern":"a"}`, `list {}`, `nothing {"a":1}`, `read "{oops"`,
		`plan {"items":[{"text":"first","status":"completed"},{"text":"second","status":"in_progress"}]}`, `plan {"items":[]}`,
		`fetch {"url":"http://127.0.0.1:1/x"}`,
	})
	var b strings.Builder
	b.WriteString(modelPieces.Draw(t, "pieces"))
	for _, c := range rapid.SliceOfN(call, 1, 3).Draw(t, "calls") {
		b.WriteString("call " + c + "\n")
	}
	b.WriteString(rapid.SampledFrom([]string{"next\n", "usage in=20 out=3 cache_read=4 thinking=1\nnext\n"}).Draw(t, "usage"))
	return b.String()
})

// modelPieces is what comes before the calls.
var modelPieces = rapid.Custom(func(t *rapid.T) string {
	piece := rapid.SampledFrom([]string{
		"text Some text, \n", "text \"with\\nlines\\n\"\n", "text \"\"\n", "text é<>&\n", "repeat 30 text \"x \"\n",
		"think Let me see. \n", "think \"\"\n", "summary In short. \n",
	})
	return strings.Join(rapid.SliceOfN(piece, 0, 4).Draw(t, "pieces"), "")
})

// A story is a client that does as it likes.
type story struct {
	rt     *rapid.T
	client *client
	thread string
}

// turn plays one turn to its end, interrupting it if the model hangs, or for no reason.
func (s *story) turn() {
	c := s.client
	id := c.begin(s.thread, "")
	patience := rapid.IntRange(1, 60).Draw(s.rt, "lines before the client does something")
	deed := rapid.SampledFrom([]string{"", "", "", "interrupt", "interrupt twice", "resume", "archive", "busy"}).Draw(s.rt, "deed")
	said, interrupted := "", false
	interrupt := func() {
		c.nextID++
		c.Send(fmt.Sprintf(`{"id":%d,"method":"turn/interrupt","params":{"threadId":%q,"turnId":%q}}`+"\n", c.nextID, s.thread, id))
		interrupted = true
	}
	c.until(func(m message) bool {
		if m.ID != nil && m.Method != "" {
			s.answer(m)
		}
		if m.Method == "item/agentMessage/delta" {
			said += m.Params.Delta
		}
		if patience--; patience == 0 {
			s.do(deed, interrupt)
		}
		if !interrupted && strings.Contains(said, hanging) {
			interrupt()
		}
		return m.Method == "turn/completed"
	})
}

// do is what clients do in the middle of a turn.
func (s *story) do(deed string, interrupt func()) {
	c := s.client
	c.nextID++
	switch deed {
	case "interrupt":
		interrupt()
	case "interrupt twice":
		interrupt()
		interrupt()
	case "resume":
		c.Send(fmt.Sprintf(`{"id":%d,"method":"thread/resume","params":{"threadId":%q}}`+"\n", c.nextID, s.thread))
	case "archive":
		c.Send(fmt.Sprintf(`{"id":%d,"method":"thread/archive","params":{"threadId":%q}}`+"\n", c.nextID, s.thread))
	case "busy":
		c.Send(fmt.Sprintf(`{"id":%d,"method":"turn/start","params":{"threadId":%q,"input":[]}}`+"\n", c.nextID, s.thread))
	}
}

// answer decides, or says nonsense.
func (s *story) answer(m message) {
	said := rapid.SampledFrom([]string{
		`"result":{"decision":"accept"}`, `"result":{"decision":"accept"}`, `"result":{"decision":"acceptForSession"}`,
		`"result":{"decision":"decline"}`, `"result":{"decision":"cancel"}`, `"result":{}`, `"error":{"code":-32601,"message":"no"}`,
	}).Draw(s.rt, "answer")
	s.client.Send(fmt.Sprintf(`{"id":%s,%s}`+"\n", m.ID, said))
}
