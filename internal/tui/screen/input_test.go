package screen

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/client"
	"parley.dev/parley/record"
)

// TestFirstPrompt: the first prompt makes the session, with the settings of the command line.
func TestFirstPrompt(t *testing.T) {
	s := newStage(t, 80, 24, func(o *Options, _ *fakeHost) { o.Settings = map[string]any{"mode": "prompt"} })
	s.shows("idle", "prompt", "Parley")
	s.write("run the tests")
	s.press("enter")
	s.expect("create map[mode:prompt]", "prompt s-1 steer run the tests")
	s.lacks("› run the tests")
}

func TestSendWhileRunning(t *testing.T) {
	s := newStage(t, 80, 24)
	s.begin("run the tests")
	s.host.requests()
	s.write("only shop")
	s.press("enter")
	s.write("then lint")
	s.press("alt+enter")
	s.expect("prompt s-1 steer only shop", "prompt s-1 queue then lint")
	s.press("enter")
	s.expect()
	queue := record.QueueChanged{
		Steering:  []record.Queued{{ID: "1", Blocks: []record.Block{{Kind: record.BlockText, Text: "only shop"}}}},
		FollowUps: []record.Queued{{ID: "2", Blocks: []record.Block{{Kind: record.BlockText, Text: "then lint"}}}, {ID: "3", Blocks: []record.Block{{Kind: record.BlockText, Text: "then stop"}}}},
	}
	s.record("t-1", queue)
	s.shows("Steering: only shop", "Queued: then lint", "Queued: then stop")
	s.host.queue = queue.FollowUps
	s.press("alt+up")
	s.expect("clear_queue s-1 follow_ups", "follow_up s-1 then lint")
	s.shows("› then stop")
	s.record("t-1", record.QueueChanged{})
	s.lacks("Steering: ", "Queued: ")
}

// TestRefusedPrompt: a prompt that the host refuses is in the input again, with what was written since.
func TestRefusedPrompt(t *testing.T) {
	s := newStage(t, 80, 24)
	s.begin("run the tests")
	s.answer("t-1", "Done.")
	s.host.fail = map[string]error{"prompt": &client.Error{Kind: "budget", Message: "the budget is used up"}}
	s.write("again")
	s.press("enter")
	s.shows("the budget is used up", "› again")
	if s.m.status() != record.StatusIdle {
		t.Errorf("the status is %q", s.m.status())
	}
}

func TestNewline(t *testing.T) {
	for _, key := range []string{"shift+enter", "ctrl+j"} {
		s := newStage(t, 80, 24)
		s.write("one")
		s.press(key)
		s.write("two")
		s.press("enter")
		s.expect("create map[]", "prompt s-1 steer one\ntwo")
	}
}

func TestPromptHistory(t *testing.T) {
	s := newStage(t, 80, 24, func(o *Options, _ *fakeHost) { o.Prompts = []string{"first", "second\nline"} })
	s.write("draft")
	s.press("up")
	s.shows("› second", "  line")
	s.press("up") // within the text
	s.press("up")
	s.shows("› first")
	s.press("up")
	s.shows("› first")
	s.press("down")
	s.shows("› second")
	s.press("down")
	s.shows("› draft")
	s.press("enter")
	s.press("up")
	s.shows("› draft")
}

func TestPaste(t *testing.T) {
	s := newStage(t, 80, 24)
	big := strings.Repeat("0123456789abcde\n", 1<<16)
	s.send(tea.PasteMsg{Content: "one\ntwo\tthree"})
	s.expect()
	s.shows("› one", "  two")
	s.press("enter")
	s.expect("create map[]", "prompt s-1 steer one\ntwo\tthree")
	s.write("see ")
	s.send(tea.PasteMsg{Content: big})
	s.shows("› see [paste 1: 65536 lines]")
	s.send(tea.PasteMsg{Content: strings.Repeat("x", 2001)})
	s.shows("[paste 2: 1 lines]")
	s.press("backspace")
	s.lacks("paste 2")
	s.shows("[paste 1: 65536 lines]")
	s.press("enter")
	s.expect("prompt s-1 steer see " + strings.TrimSpace(big))
}

// TestPasteDirection: characters that turn the direction of text are sent, but never shown.
// TestErase: Backspace and Delete erase what is one sign on the screen.
func TestErase(t *testing.T) {
	for _, sign := range []string{
		"x", "é", "e\u0301", "👍🏽", "🇩🇪", "👩\u200d👩\u200d👧\u200d👦", "❤\ufe0f", "한",
	} {
		for _, press := range []struct {
			key  tea.KeyPressMsg
			left int // of the cursor
		}{
			{tea.KeyPressMsg{Code: tea.KeyBackspace}, 1},
			{tea.KeyPressMsg{Code: 'h', Mod: tea.ModCtrl}, 1},
			{tea.KeyPressMsg{Code: tea.KeyDelete}, 1 + len([]rune(sign))},
			{tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl}, 1 + len([]rune(sign))},
		} {
			in := newInput(false)
			in.area.InsertString("🇫🇷\na" + sign + "b")
			for range press.left {
				in.key(tea.KeyPressMsg{Code: tea.KeyLeft})
			}
			if in.key(press.key); in.area.Value() != "🇫🇷\nab" {
				t.Errorf("%q: %v leaves %q", sign, press.key, in.area.Value())
			}
		}
	}
}

// TestEraseLine: Backspace and Delete join lines, and do nothing at the edges of the text.
func TestEraseLine(t *testing.T) {
	in := newInput(false)
	in.area.InsertString("a\nb")
	for _, step := range []struct {
		key  tea.KeyPressMsg
		left string
	}{
		{tea.KeyPressMsg{Code: tea.KeyDelete}, "a\nb"},
		{tea.KeyPressMsg{Code: tea.KeyBackspace}, "a\n"},
		{tea.KeyPressMsg{Code: tea.KeyBackspace}, "a"},
		{tea.KeyPressMsg{Code: tea.KeyBackspace}, ""},
		{tea.KeyPressMsg{Code: tea.KeyBackspace}, ""},
	} {
		if in.key(step.key); in.area.Value() != step.left {
			t.Errorf("%v leaves %q, not %q", step.key, in.area.Value(), step.left)
		}
	}
}

func TestPasteDirection(t *testing.T) {
	s := newStage(t, 80, 24)
	s.send(tea.PasteMsg{Content: "a\u202eb"})
	s.shows("› [paste 1: 1 lines]")
	s.press("enter")
	s.expect("create map[]", "prompt s-1 steer a\u202eb")
}

func TestCompletion(t *testing.T) {
	s := newStage(t, 80, 24)
	s.host.files, s.host.skills = []string{"shop/main.go", "shop/main_test.go"}, []string{"release", "review"}
	s.write("look at @main")
	s.shows("> @shop/main.go", "  @shop/main_test.go")
	s.press("down", "tab")
	s.shows("› look at @shop/main_test.go")
	s.write("$vie")
	s.shows("> $review")
	s.lacks("$release")
	s.press("esc")
	s.lacks("> $review")
	s.press("enter")
	s.expect("create map[]", "prompt s-1 steer look at @shop/main_test.go $vie")
}

func TestLeave(t *testing.T) {
	s := newStage(t, 80, 24)
	s.write("something")
	s.press("ctrl+c")
	s.shows("Press ctrl+c again to leave")
	s.lacks("something", "a turn runs")
	s.pass(3 * time.Second)
	s.lacks("Press ctrl+c")
	s.press("ctrl+s", "ctrl+c")
	s.shows("Sessions", "Press ctrl+c again to leave")
	s.fits()
	if s.quit {
		t.Fatal("the program has ended")
	}
	s.pass(time.Second)
	s.press("ctrl+c")
	if !s.quit {
		t.Error("the program has not ended")
	}
}

// TestLeaveEmbedded: a turn that would end is mentioned, and interrupted.
func TestLeaveEmbedded(t *testing.T) {
	s := newStage(t, 80, 24, func(o *Options, _ *fakeHost) { o.Embedded = true })
	s.begin("run the tests")
	s.host.requests()
	s.press("ctrl+c")
	s.shows("Press ctrl+c again to leave", "a turn runs")
	s.press("ctrl+c")
	s.expect("interrupt s-1")
	if !s.quit {
		t.Error("the program has not ended")
	}
}

func TestEscape(t *testing.T) {
	s := newStage(t, 80, 24)
	s.begin("run the tests")
	s.host.requests()
	s.press("ctrl+s", "esc")
	s.expect()
	s.write("/")
	s.press("esc")
	s.expect()
	s.press("esc")
	s.expect("interrupt s-1")
	s.record("t-1", record.TurnEnded{Reason: record.TurnInterrupted})
	s.record("", record.StatusChanged{Status: record.StatusIdle})
	s.press("esc")
	s.expect()
}

func TestVi(t *testing.T) {
	s := newStage(t, 80, 24, func(o *Options, _ *fakeHost) { o.Vi = true })
	s.write("one two three")
	s.press("esc", "0", "d", "w", "A")
	s.write("!")
	s.press("enter")
	s.expect("create map[]", "prompt s-1 steer two three!")
	s.write("gone")
	s.press("esc", "d", "d", "i")
	s.write("here")
	s.press("enter")
	s.expect("prompt s-1 steer here")
}

func TestEditor(t *testing.T) {
	given := ""
	s := newStage(t, 80, 24, func(o *Options, _ *fakeHost) {
		o.Edit = func(text string) tea.Cmd {
			given = text
			return func() tea.Msg { return Edited{Text: text + " longer\n"} }
		}
	})
	s.write("text")
	s.press("ctrl+g")
	if given != "text" {
		t.Errorf("the editor has %q", given)
	}
	s.shows("› text longer")
}

// TestEscapeEarly: Esc counts for a turn whose prompt is still on its way.
func TestEscapeEarly(t *testing.T) {
	s := newStage(t, 80, 24)
	s.m.session, s.m.sending = "s-1", 1
	s.press("esc")
	s.expect()
	s.turn("t-1", "go")
	s.expect("interrupt s-1")
	s.record("t-1", record.StatusChanged{Status: record.StatusWorking})
	s.expect()
}
