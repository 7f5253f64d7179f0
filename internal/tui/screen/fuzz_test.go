package screen

import (
	"math/rand/v2"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

// FuzzScreen sends random messages at random sizes: no frame is larger than the screen, and nothing panics.
func FuzzScreen(f *testing.F) {
	racetest.Skip(f, racetest.Sequential)
	for seed := range uint64(12) {
		f.Add(seed, 120)
	}
	f.Fuzz(func(t *testing.T, seed uint64, steps int) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := newStage(t, 20+r.IntN(281), 5+r.IntN(96), withSessions, func(o *Options, h *fakeHost) {
			o.Vi = r.IntN(4) == 0
			h.files, h.skills = []string{"a.go", "b\x1b[2J.go"}, []string{"release"}
			h.tools = []link.Tool{{Name: "x", Group: "browser"}}
			h.restored = []link.Restored{{Path: "a", Diff: "@@ -1 +1 @@\n-a\n+b\n"}}
		})
		for range min(max(steps, 0), 300) {
			play(s, r)
			if s.quit {
				return
			}
			s.fits()
		}
	})
}

// pieces are what texts are made of.
var pieces = []string{"word ", "\n", "\t", "`code` ", "```go\n", "- item\n", "| a | b |\n|---|---|\n", "\x1b[31m", "\x1b]0;title\a", "\u202e", "é", "日本語", "👩‍👩‍👧", "a\u0301\u0301", "x"}

func text(r *rand.Rand) string {
	var s string
	for range r.IntN(30) {
		s += pieces[r.IntN(len(pieces))]
	}
	return s
}

// play sends one random message.
func play(s *stage, r *rand.Rand) {
	keys := []string{
		"enter", "esc", "tab", "up", "down", "backspace", "pgup", "pgdown", "left", "alt+enter", "shift+enter", "alt+up", "ctrl+end",
		"ctrl+s", "ctrl+t", "ctrl+o", "ctrl+x", "ctrl+u", "ctrl+f", "ctrl+r", "ctrl+a", "ctrl+d", "ctrl+z", "ctrl+n", "y", "s", "w", "n", "1", "?", "/", "@", "$", "d", "g", "j", "k", "o", "日",
	}
	switch r.IntN(14) {
	case 0, 1, 2, 3, 4:
		s.press(keys[r.IntN(len(keys))])
	case 5:
		s.send(tea.WindowSizeMsg{Width: 1 + r.IntN(300), Height: 1 + r.IntN(100)})
	case 6:
		s.send(tea.PasteMsg{Content: text(r)})
	case 7:
		s.send(tea.MouseWheelMsg{Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[r.IntN(2)]}, tea.MouseClickMsg{X: r.IntN(300), Y: r.IntN(100), Button: tea.MouseLeft}, tea.MouseMotionMsg{X: r.IntN(300), Y: r.IntN(100), Button: tea.MouseLeft}, tea.MouseReleaseMsg{X: r.IntN(300), Y: r.IntN(100), Button: tea.MouseLeft})
	case 8:
		s.pass(time.Duration(r.IntN(12000)) * time.Millisecond)
	case 9:
		s.send(Connection{r.IntN(2) == 0}, Branch(text(r)))
	default:
		if s.m.session != "" {
			playRecord(s, r)
		}
	}
}

// playRecord sends a random record.
func playRecord(s *stage, r *rand.Rand) {
	id := string(rune('a' + r.IntN(5)))
	turn := "t-" + id
	switch r.IntN(13) {
	case 0:
		s.turn(turn, text(r))
	case 1:
		s.record(turn, record.TextDelta{Message: id, Text: text(r)})
	case 2:
		s.record(turn, record.ThinkingDelta{Message: id, Text: text(r)})
	case 3:
		s.record(turn, record.ApprovalAsked{ID: id, Call: id, Reason: text(r), Input: []byte(`{}`), Request: record.Request{Tool: text(r), Command: text(r), Dir: "/", Summary: text(r)}, Files: []record.FileEffect{{Path: text(r), Diff: text(r)}}})
	case 4:
		s.record(turn, record.ApprovalAnswered{ID: id, Allowed: r.IntN(2) == 0, By: "client", Client: record.Peer{N: 2, Name: text(r)}})
	case 5:
		s.record(turn, record.QuestionAsked{ID: id, Questions: []record.Question{{Text: text(r), Header: text(r), Options: []record.Option{{Label: text(r)}, {Label: "b", Description: text(r)}}, Multi: r.IntN(2) == 0}, {Text: text(r)}}})
	case 6:
		s.record(turn, record.QuestionAnswered{ID: id, Answers: [][]string{{text(r)}, {"x"}}})
	case 7:
		s.record(turn, record.QueueChanged{Steering: []record.Queued{{ID: "1", Blocks: []record.Block{{Kind: record.BlockText, Text: text(r)}}}}})
	case 8:
		s.record(turn, record.TurnEnded{Reason: record.TurnFailed, Failure: &record.Failure{Message: text(r)}})
	case 9:
		s.record(turn, record.ToolIntended{Call: id, Name: "bash", Tool: "bash", Input: []byte(`{"command":` + quote(text(r)) + `}`)})
	case 10:
		s.record(turn, record.ToolOutput{Call: id, Text: text(r)})
	case 11:
		s.record(turn, record.Notice{Level: "error", Text: text(r)})
	case 12:
		s.record(turn, record.SessionChanged{Settings: record.Settings{Name: text(r), Model: text(r), Mode: text(r)}})
	}
}
