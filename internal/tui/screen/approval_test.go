package screen

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/client"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

// expect fails the test unless these were the requests since the last call.
func (s *stage) expect(want ...string) {
	s.t.Helper()
	if got := s.host.requests(); !slices.Equal(got, want) {
		s.t.Errorf("requests %q, want %q", got, want)
	}
}

// waiting returns a stage with an approval that has just appeared.
func waiting(t *testing.T) *stage {
	s := newStage(t, 80, 24)
	s.begin("delete it")
	s.approval("t-1", "a-1", "rm -rf build")
	s.host.requests()
	return s
}

func TestApprovalKeys(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want []string
	}{
		{[]string{"y"}, []string{"allow a-1"}},
		{[]string{"s"}, []string{"allow a-1 session"}},
		{[]string{"w"}, nil},
		{[]string{"w", "y"}, []string{"allow a-1 workspace"}},
		{[]string{"w", "esc", "s"}, []string{"allow a-1 session"}},
		{[]string{"w", "n"}, nil},
		{[]string{"n"}, nil},
		{[]string{"n", "enter"}, []string{"deny a-1"}},
		{[]string{"n", "y", "e", "s", "enter"}, []string{"deny a-1 yes"}},
		{[]string{"n", "x", "ctrl+u", "enter"}, []string{"deny a-1"}},
		{[]string{"n", "esc", "y"}, []string{"allow a-1"}},
		{[]string{"y", "n", "s"}, []string{"allow a-1"}},
		{[]string{"x", "enter", "up"}, nil},
		{[]string{"esc"}, []string{"interrupt s-1"}},
		{[]string{"tab", "y"}, nil},
	} {
		t.Run(strings.Join(c.keys, " "), func(t *testing.T) {
			s := waiting(t)
			s.pass(guard)
			s.shows("y Allow once", "s Allow for session", "w Allow in workspace", "n Deny", wordWaiting)
			s.press(c.keys...)
			s.expect(c.want...)
		})
	}
}

// TestApprovalGuard: keys that were pressed before the approval can have been read do not answer it.
func TestApprovalGuard(t *testing.T) {
	s := waiting(t)
	s.pass(guard - 100*time.Millisecond) // begin and approval have passed some frames
	s.now = s.m.ask.since.Add(guard - time.Millisecond)
	s.press("y", "s", "w", "n")
	s.expect()
	s.now = s.m.ask.since.Add(guard)
	s.press("y")
	s.expect("allow a-1")
	s.record("t-1", record.ApprovalAnswered{ID: "a-1", Allowed: true, By: "client"})
	s.approval("t-1", "a-2", "rm -rf dist")
	s.press("y")
	s.host.requests()
	if s.m.ask == nil || s.m.ask.sent {
		t.Error("the second approval has no guard of its own")
	}
}

// TestApprovalWhileWriting: the focus stays in an input that is not empty until Tab.
func TestApprovalWhileWriting(t *testing.T) {
	s := newStage(t, 80, 24)
	s.begin("delete it")
	s.write("and then")
	s.approval("t-1", "a-1", "rm -rf build")
	s.host.requests()
	s.pass(time.Second)
	s.write(" say yes")
	s.expect()
	s.shows("and then say yes", "y Allow once", "Tab")
	s.press("tab", "y")
	s.expect("allow a-1")
}

// TestApprovalWhileListing: an approval never takes keys from a list that is open, and is in sight.
func TestApprovalWhileListing(t *testing.T) {
	s := newStage(t, 80, 24, withSessions)
	s.begin("delete it")
	s.press("ctrl+s")
	s.approval("t-1", "a-1", "rm -rf build")
	s.host.requests()
	s.pass(time.Second)
	s.write("yes")
	s.shows("n Deny", "Sessions  yes")
	s.expect()
	s.press("esc")
	s.press("y") // the guard begins anew
	s.expect()
	s.pass(guard)
	s.press("y")
	s.expect("allow a-1")
}

// TestApprovalGrant: the grant is shown before it is made, and a refusal leaves the approval.
func TestApprovalGrant(t *testing.T) {
	s := waiting(t)
	s.host.fail = map[string]error{"allow": &client.Error{Kind: "invalid_params", Message: "no grant covers the call"}}
	s.pass(guard)
	s.press("w")
	s.shows("rm -rf build (in /home/me/shop)")
	s.lacks("y Allow once")
	s.press("y")
	s.shows("no grant covers the call", "y Allow once")
}

// TestApprovalAnsweredElsewhere: the answer of another client closes the choices.
func TestApprovalAnsweredElsewhere(t *testing.T) {
	s := waiting(t)
	s.record("t-1", record.ApprovalAnswered{ID: "a-1", Allowed: true, By: "client", Client: record.Peer{N: 2, Name: "web"}})
	s.record("t-1", record.StatusChanged{Status: record.StatusWorking})
	s.lacks("y Allow once", wordWaiting)
	s.shows("working")
}

// TestApprovalLong: a long command shows its first and last lines, all after ctrl+x, and the choices always.
func TestApprovalLong(t *testing.T) {
	s := newStage(t, 80, 24)
	s.begin("do it")
	s.approval("t-1", "a-1", "echo first\n"+strings.Repeat("echo step\n", 80)+"echo last")
	s.shows("echo first", "echo last", "more lines", "y Allow once", "n Deny")
	s.press("ctrl+x")
	s.lacks("more lines")
	s.shows("echo first", "y Allow once", "n Deny")
	for range 20 {
		s.press("pgdown")
	}
	s.shows("echo last", "y Allow once")
	s.press("ctrl+x")
	s.shows("more lines")
}

// TestApprovalSizes: on no screen an approval is without its keys.
func TestApprovalSizes(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	for width := 20; width <= 130; width += 5 {
		for height := 5; height <= 40; height++ {
			s := newStage(t, width, height)
			s.begin("do it")
			s.approval("t-1", "a-1", "rm -rf build")
			s.fits()
			frame := s.text()
			for _, key := range []string{"y ", "s ", "w ", "n ", wordWaiting} {
				if !strings.Contains(frame, key) {
					t.Fatalf("%d x %d lacks %q:\n%s", width, height, key, frame)
				}
			}
		}
	}
}

// TestAttention: what waits rings once, and is in the title.
func TestAttention(t *testing.T) {
	s := waiting(t)
	if len(s.raw) != 1 || !strings.Contains(s.raw[0], "\a") || !strings.Contains(s.raw[0], "\x1b]9;") {
		t.Errorf("the terminal was sent %q", s.raw)
	}
	if title := s.m.View().WindowTitle; !strings.Contains(title, wordWaiting) {
		t.Errorf("the title is %q", title)
	}
	s.record("t-1", record.ApprovalAnswered{ID: "a-1", Allowed: true, By: "client"})
	s.record("t-1", record.StatusChanged{Status: record.StatusWorking})
	if title := s.m.View().WindowTitle; strings.Contains(title, wordWaiting) || !strings.Contains(title, "delete it") {
		t.Errorf("the title is %q", title)
	}
	if len(s.raw) != 1 {
		t.Errorf("the terminal was sent %q", s.raw)
	}
}

func TestQuestions(t *testing.T) {
	ask := record.QuestionAsked{ID: "q-1", Questions: []record.Question{
		{Text: "Which one?", Options: []record.Option{{Label: "SQLite"}, {Label: "PostgreSQL"}}},
		{Text: "What for?", Options: []record.Option{{Label: "tests"}, {Label: "users"}}, Multi: true},
		{Text: "Its name?"},
	}}
	for _, c := range []struct {
		keys []string
		want []string
	}{
		{[]string{"2", "1", "2", "enter", "d", "b", "enter"}, []string{"answer q-1 [[PostgreSQL] [tests users] [db]]"}},
		{[]string{"3", "1", "enter", "x", "enter"}, []string{"answer q-1 [[SQLite] [] [x]]"}},
		{[]string{"o", "M", "y", "enter", "enter", "x", "enter"}, []string{"answer q-1 [[My] [] [x]]"}},
		{[]string{"o", "M", "esc", "d"}, []string{"answer q-1 []"}},
		{[]string{"esc"}, []string{"interrupt s-1"}},
	} {
		t.Run(strings.Join(c.keys, " "), func(t *testing.T) {
			s := newStage(t, 80, 24)
			s.begin("set it up")
			s.record("t-1", ask)
			s.host.requests()
			s.press("1")
			s.shows("Which one?", "SQLite", wordWaiting)
			s.pass(guard)
			s.press(c.keys...)
			s.expect(c.want...)
		})
	}
}

// TestGrantOfNothing: a call that no grant can cover says so.
func TestGrantOfNothing(t *testing.T) {
	s := newStage(t, 80, 24)
	s.begin("think")
	s.record("t-1", record.ApprovalAsked{ID: "a-1", Request: record.Request{Tool: "odd", Level: "execute", Summary: "odd"}, Input: []byte("{}")})
	if len(link.Covered(record.Request{Tool: "odd"})) != 0 {
		t.Skip("a grant covers it")
	}
	s.host.requests()
	s.pass(guard)
	s.press("w")
	s.shows("No grant covers this call", "y Allow once")
	s.expect()
}

// TestApprovalSmall: at 40 x 12 an approval of a long command shows its first and its last line.
func TestApprovalSmall(t *testing.T) {
	s := newStage(t, 40, 12)
	s.begin("delete it")
	s.approval("t-1", "a-1", "echo FIRST-LINE\n"+strings.Repeat("echo more\n", 300)+"rm LAST-LINE")
	s.pass(guard)
	s.shows("FIRST-LINE", "more lines", "LAST-LINE", "Allow once")
}
