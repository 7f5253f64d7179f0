package screen

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/client"
	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

var (
	update   = flag.Bool("update", false, "write the golden frames anew")
	frameDir = flag.String("frames", "", "also write the frames with their styles to this folder")
)

// A stage runs a Model without a terminal: messages go in, commands run at once, and time passes when it says so.
type stage struct {
	t      testing.TB
	m      *Model
	host   *fakeHost
	now    time.Time
	timers []timer
	raw    []string // what was sent to the terminal besides frames
	quit   bool
	seq    uint64
}

type timer struct {
	at  time.Time
	msg tea.Msg
}

// newStage returns a screen of that size after its start.
func newStage(t testing.TB, width, height int, change ...func(*Options, *fakeHost)) *stage {
	t.Helper()
	s := &stage{t: t, now: time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)}
	s.host = &fakeHost{models: link.Models{Default: "anthropic/claude-sonnet-4-5", Models: []link.Model{
		{Name: "anthropic/claude-sonnet-4-5", Provider: "anthropic", Window: 200_000, Thinking: []string{"off", "low", "high"}},
		{Name: "openai/gpt-5", Provider: "openai", Window: 400_000},
	}}}
	o := Options{
		Host: s.host, Workspace: "/home/me/shop",
		Now: func() time.Time { return s.now },
		After: func(d time.Duration, msg tea.Msg) tea.Cmd {
			s.timers = append(s.timers, timer{s.now.Add(d), msg})
			return nil
		},
	}
	for _, c := range change {
		c(&o, s.host)
	}
	s.m = New(o)
	s.send(tea.WindowSizeMsg{Width: width, Height: height})
	s.run(s.m.Init())
	return s
}

// send gives messages to the screen, and runs what it commands.
func (s *stage) send(msgs ...tea.Msg) {
	for _, msg := range msgs {
		_, cmd := s.m.Update(msg)
		s.run(cmd)
	}
}

func (s *stage) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	case tea.QuitMsg:
		s.quit = true
	case tea.RawMsg:
		s.raw = append(s.raw, fmt.Sprint(msg.Msg))
	default:
		if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() { // of tea.Sequence
			for i := range v.Len() {
				s.run(v.Index(i).Interface().(tea.Cmd))
			}
			return
		}
		s.send(msg)
	}
}

// pass lets time pass.
func (s *stage) pass(d time.Duration) {
	end := s.now.Add(d)
	for {
		first := -1
		for i, t := range s.timers {
			if !t.at.After(end) && (first < 0 || t.at.Before(s.timers[first].at)) {
				first = i
			}
		}
		if first < 0 {
			break
		}
		t := s.timers[first]
		s.timers = append(s.timers[:first], s.timers[first+1:]...)
		s.now = t.at
		s.send(t.msg)
	}
	s.now = end
}

// keys are the keys of names.
var keyNames = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"backspace": {Code: tea.KeyBackspace}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "left": {Code: tea.KeyLeft},
	"alt+enter": {Code: tea.KeyEnter, Mod: tea.ModAlt}, "shift+enter": {Code: tea.KeyEnter, Mod: tea.ModShift}, "alt+up": {Code: tea.KeyUp, Mod: tea.ModAlt},
	"ctrl+end": {Code: tea.KeyEnd, Mod: tea.ModCtrl},
}

// press presses keys by their names, such as "ctrl+s" and "y".
func (s *stage) press(names ...string) {
	for _, name := range names {
		key, ok := keyNames[name]
		if rest, ctrl := strings.CutPrefix(name, "ctrl+"); !ok && ctrl {
			key = tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
		} else if !ok {
			key = tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
		}
		s.send(key)
	}
}

// write types text.
func (s *stage) write(text string) {
	for _, r := range text {
		s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// record sends a record of the session.
func (s *stage) record(turn string, e record.Event) {
	s.t.Helper()
	data, err := json.Marshal(e)
	if err != nil {
		s.t.Fatal(err)
	}
	rec := record.Record{Time: s.now, Turn: turn, Kind: e.Kind(), Data: data}
	if !strings.Contains(" text_delta thinking_delta tool_output status_changed usage_ticked tool_progress command_output retry_started compaction_started ", " "+e.Kind()+" ") {
		s.seq++
		rec.Seq = s.seq
	}
	s.send(Records{s.m.session, []record.Record{rec}})
	s.pass(interval)
}

// begin makes a session with a prompt that runs.
func (s *stage) begin(prompt string) {
	s.write(prompt)
	s.press("enter")
	s.created()
	s.turn("t-1", prompt)
}

// created sends the record of a new session.
func (s *stage) created() {
	s.record("", record.SessionCreated{ID: s.m.session, Workspace: "/home/me/shop", Settings: record.Settings{Model: "anthropic/claude-sonnet-4-5", Mode: "workspace-write"}})
}

// turn begins a turn.
func (s *stage) turn(id, prompt string) {
	s.record(id, record.TurnStarted{Prompt: "p"})
	s.record(id, record.UserMessage{ID: "p", Via: "prompt", Blocks: []record.Block{{Kind: record.BlockText, Text: prompt}}})
	s.record(id, record.StatusChanged{Status: record.StatusThinking})
}

// answer ends a turn with an answer.
func (s *stage) answer(turn, text string) {
	s.record(turn, record.AssistantMessage{ID: "m-" + turn, Provider: "anthropic", Model: "claude-sonnet-4-5", Blocks: []record.Block{{Kind: record.BlockText, Text: text}}})
	s.record(turn, record.TurnEnded{Reason: record.TurnCompleted, Context: 24_000, Window: 200_000, Usage: record.Usage{Input: 23_000, Output: 1_000}, Cost: 0.084})
	s.record("", record.StatusChanged{Status: record.StatusIdle})
}

// approval requests an approval of a command.
func (s *stage) approval(turn, id, command string) {
	s.record(turn, record.ToolIntended{Call: "c-" + id, Name: "bash", Tool: "bash", Input: []byte(`{"command":` + quote(command) + `}`)})
	s.record(turn, record.ApprovalAsked{
		ID: id, Call: "c-" + id, Mode: "workspace-write", Reason: "bash needs danger-full-access; active mode is workspace-write",
		Request: record.Request{Tool: "bash", Level: "execute", Command: command, Dir: "/home/me/shop", Summary: command},
		Input:   []byte(`{"command":` + quote(command) + `}`),
	})
	s.record(turn, record.StatusChanged{Status: record.StatusWaiting})
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// text returns the frame as text.
func (s *stage) text() string {
	lines := strings.Split(ansi.Strip(s.m.View().Content), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// shows fails the test unless the frame has a text.
func (s *stage) shows(texts ...string) {
	s.t.Helper()
	frame := s.text()
	for _, want := range texts {
		if !strings.Contains(frame, want) {
			s.t.Errorf("the screen does not show %q:\n%s", want, frame)
		}
	}
}

// lacks fails the test if the frame has a text.
func (s *stage) lacks(texts ...string) {
	s.t.Helper()
	frame := s.text()
	for _, text := range texts {
		if strings.Contains(frame, text) {
			s.t.Errorf("the screen shows %q:\n%s", text, frame)
		}
	}
}

// golden compares the frame with a file.
func (s *stage) golden(name string) {
	s.t.Helper()
	s.fits()
	if *frameDir != "" {
		if err := os.WriteFile(filepath.Join(*frameDir, name+".ansi"), []byte(s.m.View().Content), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	path := filepath.Join("testdata", name+".txt")
	got := s.text()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		s.t.Errorf("%s (go test -update writes it):\n%s", name, diff)
	}
}

// allowed is the sequences that a frame may have: styles and links.
var allowed = regexp.MustCompile(`\x1b\[[0-9;:]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\\\)`)

// fits fails the test if the frame is larger than the screen, controls it, or has its cursor outside.
func (s *stage) fits() {
	s.t.Helper()
	v := s.m.View()
	lines := strings.Split(v.Content, "\n")
	if len(lines) != s.m.height {
		s.t.Fatalf("the frame has %d lines, the screen %d:\n%s", len(lines), s.m.height, s.text())
	}
	if c := strings.IndexFunc(allowed.ReplaceAllString(v.Content, ""), func(r rune) bool { return r != '\n' && unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' }); c >= 0 {
		s.t.Fatalf("the frame has a control character:\n%q", v.Content)
	}
	for _, l := range lines {
		if w := ansi.StringWidth(l); w > s.m.width {
			s.t.Fatalf("a line has %d cells, the screen %d: %q", w, s.m.width, l)
		}
	}
	if c := v.Cursor; c != nil && (c.X < 0 || c.X >= s.m.width || c.Y < 0 || c.Y >= s.m.height) {
		s.t.Fatalf("the cursor is at %d, %d on a screen of %d x %d:\n%s", c.X, c.Y, s.m.width, s.m.height, s.text())
	}
}

// A fakeHost answers requests at once, and remembers them.
type fakeHost struct {
	mu           sync.Mutex
	log          []string         // the requests that change something
	fail         map[string]error // by the name of the method
	models       link.Models
	discovered   []link.Model // models of servers
	sessions     []record.Listed
	opened       map[string]link.Opened
	pages        map[string][]record.Record
	limits       []int // of the pages that were requested
	queue        []record.Queued
	files        []string
	skills       []string
	tools        []link.Tool
	agentOptions []record.BackendOption
	restored     []link.Restored
	usage        link.Usage
}

func (h *fakeHost) did(name string, format string, args ...any) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = append(h.log, strings.TrimSpace(name+" "+fmt.Sprintf(format, args...)))
	return h.fail[name]
}

// requests returns what was requested since the last call.
func (h *fakeHost) requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	log := h.log
	h.log = nil
	return log
}

func (h *fakeHost) Receive(string, uint64) {}

func (h *fakeHost) Create(_ context.Context, n link.NewSession) (link.Opened, error) {
	err := h.did("create", "%v", n.Settings)
	return h.open("s-1"), err
}

func (h *fakeHost) open(session string) link.Opened {
	if o, ok := h.opened[session]; ok {
		return o
	}
	return link.Opened{ID: session, State: record.State{Session: session, Workspace: "/home/me/shop"}}
}

func (h *fakeHost) Open(_ context.Context, session string) (link.Opened, error) {
	return h.open(session), h.did("open", "%s", session)
}

func (h *fakeHost) Leave(_ context.Context, session string) error {
	return h.did("leave", "%s", session)
}

func (h *fakeHost) Before(_ context.Context, session string, before uint64, limit int, kinds ...string) (link.Page, error) {
	var page link.Page
	h.mu.Lock()
	h.limits = append(h.limits, limit)
	h.mu.Unlock()
	for _, r := range h.pages[session] {
		if r.Seq < before && (len(kinds) == 0 || strings.Contains(strings.Join(kinds, " "), r.Kind)) {
			page.Records = append(page.Records, r)
		}
	}
	if n := len(page.Records) - limit; n > 0 {
		page.Records, page.More = page.Records[n:], true
	}
	return page, nil
}

func (h *fakeHost) Change(_ context.Context, session string, patch map[string]any, _ uint64) error {
	return h.did("change", "%s %v", session, patch)
}

func (h *fakeHost) Fork(_ context.Context, session string, before uint64) (link.Opened, error) {
	return h.open("s-fork"), h.did("fork", "%s %d", session, before)
}

func (h *fakeHost) Branch(_ context.Context, session string, head uint64) error {
	return h.did("branch", "%s %d", session, head)
}

func (h *fakeHost) Restore(_ context.Context, session string, before uint64, apply bool) ([]link.Restored, error) {
	return h.restored, h.did("restore", "%s %d %v", session, before, apply)
}

func (h *fakeHost) Compact(_ context.Context, session, guidance string) error {
	return h.did("compact", "%s %s", session, guidance)
}

func (h *fakeHost) Remove(_ context.Context, session string) error {
	return h.did("remove", "%s", session)
}

func (h *fakeHost) Blob(_ context.Context, _, address string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join("testdata", address))
	return data, errors.Join(err, h.did("blob", "%s", address))
}

func (h *fakeHost) Prompt(_ context.Context, session string, p client.Prompt) error {
	return h.did("prompt", "%s %s %s", session, p.IfBusy, p.Text)
}

func (h *fakeHost) Steer(_ context.Context, session string, p client.Prompt) error {
	return h.did("steer", "%s %s", session, textOf(p.Blocks))
}

func (h *fakeHost) FollowUp(_ context.Context, session string, p client.Prompt) error {
	return h.did("follow_up", "%s %s", session, textOf(p.Blocks))
}

func (h *fakeHost) ClearQueue(_ context.Context, session, which string) ([]record.Queued, error) {
	return h.queue, h.did("clear_queue", "%s %s", session, which)
}

func (h *fakeHost) Interrupt(_ context.Context, session string) (bool, error) {
	return true, h.did("interrupt", "%s", session)
}

func (h *fakeHost) Allow(_ context.Context, _, approval, remember string) error {
	return h.did("allow", "%s %s", approval, remember)
}

func (h *fakeHost) Deny(_ context.Context, _, approval, reason string) error {
	return h.did("deny", "%s %s", approval, reason)
}

func (h *fakeHost) Answer(_ context.Context, _, question string, answers [][]string) error {
	return h.did("answer", "%s %v", question, answers)
}

func (h *fakeHost) List(_ context.Context, q client.Query) ([]record.Listed, string, error) {
	var page []record.Listed
	for _, s := range h.sessions {
		if (q.Workspace == "" || q.Workspace == s.Workspace) && strings.Contains(strings.ToLower(s.Title+s.Name), strings.ToLower(q.Search)) {
			page = append(page, s)
		}
	}
	return page, "", nil
}

func (h *fakeHost) Models(_ context.Context, discover bool) (link.Models, error) {
	models := h.models
	if discover {
		models.Models = append(slices.Clip(models.Models), h.discovered...)
	}
	return models, nil
}

func (h *fakeHost) Tools(context.Context, string) ([]link.Tool, error) { return h.tools, nil }

func (h *fakeHost) BackendOptions(context.Context, string) ([]record.BackendOption, error) {
	return h.agentOptions, nil
}

func (h *fakeHost) Usage(context.Context, string) (link.Usage, error) { return h.usage, nil }

func (h *fakeHost) Skills(context.Context, string) ([]string, error) { return h.skills, nil }

func (h *fakeHost) Files(context.Context, string, string, int) ([]string, error) { return h.files, nil }

var errRefused = errors.New("refused")

func splitLines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }
