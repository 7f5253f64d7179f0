package screen

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

func sessionsOf() []record.Listed {
	at := time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)
	return []record.Listed{
		{ID: "s-a", Title: "fix the login page", Workspace: "/home/me/shop", Updated: at.Add(-3 * time.Minute), Open: true, Clients: 1, Status: record.StatusThinking},
		{ID: "s-b", Title: "write the release notes of version 2", Name: "Release notes", Workspace: "/home/me/shop", Updated: at.Add(-49 * time.Hour), Status: record.StatusIdle},
		{ID: "s-c", Title: "explain the parser", Workspace: "/home/me/parser", Updated: at.Add(-90 * time.Minute), Status: record.StatusIdle},
	}
}

// TestStart: the first prompt of the command line makes the session, or continues the one that is opened; the list of sessions is shown first.
func TestStart(t *testing.T) {
	withPrompt := func(o *Options, _ *fakeHost) { o.Prompt = "fix the test" }
	newStage(t, 80, 24, withPrompt).expect("create map[]", "prompt s-1 queue fix the test")
	newStage(t, 80, 24, withPrompt, func(o *Options, h *fakeHost) { o.Opened = h.open("s-b") }).expect("prompt s-b queue fix the test")
	newStage(t, 80, 24, withSessions, func(o *Options, _ *fakeHost) { o.Sessions = true }).shows("> fix the login page", "  Release notes")
}

func TestSessions(t *testing.T) {
	s := newStage(t, 80, 24, withSessions)
	s.press("ctrl+s")
	s.shows("> fix the login page", "  Release notes", "thinking", "idle", "3m", "2d", "open")
	s.lacks("explain the parser")
	s.press("tab")
	s.shows("explain the parser")
	s.press("tab")
	s.lacks("explain the parser")
	s.write("notes")
	s.shows("> Release notes")
	s.lacks("login page")
	s.press("ctrl+u")
	s.shows("login page")
	s.press("down", "enter")
	s.expect("open s-b")
	if s.m.Session() != "s-b" {
		t.Errorf("the session is %q", s.m.Session())
	}
	s.press("ctrl+s")
	s.press("ctrl+f")
	s.expect("fork s-a 0", "leave s-b")
	s.press("ctrl+s", "ctrl+r", "ctrl+u")
	s.write("Login")
	s.press("enter")
	s.expect("change s-a map[name:Login]")
	s.press("ctrl+a")
	s.expect("change s-a map[archived:true]")
	s.press("ctrl+n")
	s.expect("leave s-fork")
	if s.m.Session() != "" {
		t.Errorf("the session is %q", s.m.Session())
	}
}

// TestSessionsDelete: a deletion can be taken back for ten seconds.
func TestSessionsDelete(t *testing.T) {
	s := newStage(t, 80, 24, withSessions)
	s.press("ctrl+s", "ctrl+d")
	s.lacks("login page")
	s.pass(9 * time.Second)
	s.press("ctrl+z")
	s.shows("> fix the login page")
	s.pass(9 * time.Second)
	s.expect()
	s.press("ctrl+d")
	s.pass(10 * time.Second)
	s.expect("remove s-a")
	s.press("ctrl+d", "ctrl+c", "ctrl+c")
	if !s.quit {
		t.Error("the program has not ended")
	}
	if got := s.host.requests(); len(got) != 1 {
		t.Errorf("requests %q at the end, want one deletion", got)
	}
}

// TestSessionsChange: what changes elsewhere is in the list at once.
func TestSessionsChange(t *testing.T) {
	s := newStage(t, 80, 24, withSessions)
	s.press("ctrl+s")
	changed := sessionsOf()[1]
	changed.Status, changed.Waiting, changed.Open, changed.Clients = record.StatusWaiting, 1, true, 2
	s.send(SessionChanged{record.ChangedSession{Listed: changed}})
	s.shows("open  waiting for you")
	s.send(SessionChanged{record.ChangedSession{Listed: record.Listed{ID: "s-a"}, Removed: true}})
	s.lacks("login page")
}

func TestHistory(t *testing.T) {
	s := newStage(t, 80, 24)
	s.begin("first prompt")
	s.answer("t-1", "Done.")
	prompt := func(seq uint64, text string) record.Record {
		return record.Record{Seq: seq, Kind: record.KindUserMessage, Data: []byte(`{"via":"prompt","blocks":[{"kind":"text","text":"` + text + `"}]}`)}
	}
	s.host.pages = map[string][]record.Record{"s-1": {
		prompt(3, "first prompt"), prompt(9, "wrong way"), {Seq: 12, Kind: record.KindBranched, Data: []byte(`{"head":8}`)}, prompt(14, "second prompt"), prompt(20, "third prompt"),
	}}
	s.host.requests()
	s.press("ctrl+t")
	s.shows("  first prompt", "  second prompt", "> third prompt")
	s.lacks("wrong way")
	s.press("up", "enter")
	s.expect("branch s-1 8")
	s.shows("› second prompt")
	s.lacks("History")
	s.press("ctrl+t", "up", "up", "enter")
	s.expect("branch s-1 0")
	s.press("ctrl+t", "enter")
	s.expect("branch s-1 14")
	s.press("ctrl+t")
	s.write("first")
	s.press("ctrl+f")
	s.expect("fork s-1 3", "leave s-1")
	s.m.session = "s-1"
	s.host.restored = []link.Restored{{Path: "main.go", Op: "updated", Diff: "--- a/main.go\n+++ b/main.go\n@@ -1 +1 @@\n-new\n+old\n"}}
	s.press("ctrl+t", "ctrl+r")
	s.shows("main.go", "-new", "+old", "y Restore")
	s.expect("restore s-1 20 false")
	s.press("esc")
	s.shows("> third prompt")
	s.press("ctrl+r", "y")
	s.expect("restore s-1 20 false", "restore s-1 20 true")
	s.lacks("History")
	s.press("ctrl+t")
	s.host.fail = map[string]error{"restore": errRefused}
	s.press("ctrl+r")
	s.shows("refused", "> third prompt")
}

// TestResume: a session is opened at its end, and what is older is read when it is in sight.
func TestResume(t *testing.T) {
	var records []record.Record
	for i := range 1200 {
		records = append(records, record.Record{Seq: uint64(i + 1), Kind: record.KindNotice, Data: []byte(`{"level":"info","text":"notice ` + strconv.Itoa(i+1) + `."}`)})
	}
	s := newStage(t, 80, 24, func(o *Options, h *fakeHost) {
		o.Opened = link.Opened{ID: "s-9", State: record.State{Session: "s-9", Workspace: "/home/me/shop", Head: 1200, Status: record.StatusIdle}}
		h.pages = map[string][]record.Record{"s-9": records}
	})
	s.shows("notice 1200.")
	if n := len(s.m.talk.Items()); n != pageSize {
		t.Errorf("%d items at the start", n)
	}
	if want := []int{endSize, pageSize - endSize}; !slices.Equal(s.host.limits, want) {
		t.Errorf("pages of %d records are read at the start, want %d", s.host.limits, want)
	}
	s.expect() // it is open
	for range 400 {
		s.press("pgup")
		s.m.View()
		s.pass(interval)
	}
	s.shows("notice 1.")
	s.press("ctrl+end")
	s.shows("notice 1200.")
}

// TestResumePrompts: the prompts of a session that is opened come after those of other sessions, in their order.
func TestResumePrompts(t *testing.T) {
	var records []record.Record
	for i := range 200 {
		records = append(records, record.Record{Seq: uint64(i + 1), Kind: record.KindUserMessage, Data: []byte(`{"via":"prompt","blocks":[{"kind":"text","text":"prompt ` + strconv.Itoa(i+1) + `"}]}`)})
	}
	s := newStage(t, 80, 24, func(o *Options, h *fakeHost) {
		o.Opened = link.Opened{ID: "s-9", State: record.State{Session: "s-9", Workspace: "/home/me/shop", Head: 200, Status: record.StatusIdle}}
		h.pages = map[string][]record.Record{"s-9": records}
		h.sessions = []record.Listed{{ID: "s-9", Workspace: o.Workspace, Title: "prompt 1"}, {ID: "s-8", Workspace: o.Workspace, Title: "other"}, {ID: "s-7", Workspace: o.Workspace, Title: "first"}}
	})
	for i := range 200 {
		s.press("up")
		s.shows("› prompt " + strconv.Itoa(200-i) + "\n")
	}
	s.press("up")
	s.shows("› other\n")
	s.press("up")
	s.shows("› first\n")
}

func TestConnection(t *testing.T) {
	s := newStage(t, 80, 24)
	s.begin("run the tests")
	s.write("draft")
	s.send(Connection{Lost: true})
	s.shows("Connection lost", "run the tests", "› draft")
	s.send(Connection{})
	s.lacks("Connection lost")
	s.shows("thinking", "› draft")
	s.send(Connection{Lost: true})
	s.m.o.Embedded = true
	s.host.requests()
	s.press("ctrl+c", "ctrl+c")
	s.expect()
	if !s.quit {
		t.Error("the program waits for the connection")
	}
}
