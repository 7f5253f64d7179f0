package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/internal/tui/draw"
	"parley.dev/parley/internal/tui/graphics"
	"parley.dev/parley/internal/tui/page"
	"parley.dev/parley/record"
)

// A Model is the screen. It is changed by Update alone.
type Model struct {
	o      Options
	theme  string
	light  bool // the background of the terminal is
	drawer *draw.Drawer
	style  styles
	width  int
	height int

	session   string // "": none yet
	creating  bool   // the session of the first prompt is being made
	outbox    []outgoing
	sending   int    // prompts without an answer
	begun     string // the prompt of the last turn
	accepted  string // the prompt whose turn begins: its record is on its way; "": there is none
	stopping  bool   // the turn that they begin is interrupted when it begins
	lost      bool
	talk      *conversation.Conversation
	page      page.Page
	beginning bool // the first item is in sight
	unfolded  bool
	chosen    map[string]any // settings of the session that the first prompt makes
	models    models
	recent    []record.Listed
	branch    string
	earlier   bool   // records before the first one are on their way
	budget    string // what is left of it; "": there is none

	frames   frames
	input    input
	menu     *menu
	panel    panel
	ask      *ask
	rung     map[string]bool // approvals and questions of the session for which the bell was rung
	mine     map[string]bool // approvals and questions of the session that this client has answered
	gallery  *graphics.Gallery
	removals removals
	activity activity
	hint     hint
	leave    leave

	selection selection

	view  tea.View // the last one
	dirty bool     // view is not what there is to see
}

// New returns a screen that shows nothing yet: its size comes as a message.
func New(o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = after
	}
	m := &Model{
		o: o, session: o.Opened.ID, talk: &conversation.Conversation{}, chosen: map[string]any{}, dirty: true, width: 80, height: 24,
		rung: map[string]bool{}, removals: removals{due: map[string]int{}}, mine: map[string]bool{}, gallery: graphics.New(o.Graphics),
	}
	for name, value := range o.Settings {
		m.chosen[name] = value
	}
	m.setTheme(o.Theme)
	m.input = newInput(o.Vi)
	m.input.prompts.add(o.Prompts...)
	return m
}

// setTheme draws all in another theme; "": that of the background.
func (m *Model) setTheme(name string) {
	m.theme = name
	m.drawer = m.newDrawer()
	m.style = newStyles(m.drawer)
}

// newDrawer returns a drawer, which is for one conversation in one theme.
func (m *Model) newDrawer() *draw.Drawer {
	return draw.New(themeOf(m.theme, m.light, m.o.NoColor), draw.Options{
		Links: true, UnfoldKey: m.o.Keys.first(keyUnfold), Name: m.o.Client, Folder: m.workspace, Picture: m.gallery.Picture,
		Own: func(id string) bool { return m.mine[id] },
	})
}

// Init requests what the first frame shows, and sends the first prompt.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.loadModels(false), tea.RequestBackgroundColor}
	if m.session == "" {
		cmds = append(cmds, m.loadRecent())
	} else { // the end of the session comes before all that need not be in the first frame: a host can take long for a list
		cmds = append(cmds, m.loadEnd(m.o.Opened, m.session))
	}
	if m.o.Sessions {
		cmds = append(cmds, m.openSessions())
	}
	if m.o.Prompt != "" {
		m.input.set(m.o.Prompt)
		cmds = append(cmds, m.send(queueing))
	}
	return tea.Batch(cmds...)
}

// Session returns the id of the session; "": there is none.
func (m *Model) Session() string { return m.session }

// Running reports whether a turn runs.
func (m *Model) Running() bool { return m.state().Turn != "" }

func (m *Model) state() conversation.State { return m.talk.State() }

// busy reports whether a prompt would not begin a turn at once.
func (m *Model) busy() bool { return m.Running() || m.sends() || m.creating }

// sends reports whether a prompt is on its way, or the turn that it begins.
func (m *Model) sends() bool { return m.sending > 0 || m.accepted != "" }

// Update changes the screen by a message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := m.update(msg)
	m.View() // what is in sight may need images
	return m, tea.Batch(cmd, m.loadImages())
}

func (m *Model) update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if records, ok := msg.(Records); ok {
		return m, m.receive(records)
	}
	m.dirty = true
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(1, msg.Width), max(1, msg.Height)
	case tea.KeyPressMsg:
		return m, tea.Batch(m.apply(), m.press(msg))
	case tea.PasteMsg:
		return m, m.paste(msg)
	case tea.MouseWheelMsg:
		return m, m.wheel(msg)
	case tea.MouseClickMsg:
		m.pressMouse(msg)
	case tea.MouseMotionMsg:
		m.dragMouse(msg)
	case tea.MouseReleaseMsg:
		return m, m.releaseMouse()
	case tea.BackgroundColorMsg:
		m.light = !msg.IsDark()
		m.setTheme(m.theme)
	case frameDue:
		return m, m.frameDue()
	case reply:
		return m, msg(m)
	case Connection:
		m.lost = msg.Lost
	case SessionChanged:
		m.sessionChanged(msg)
	case Branch:
		m.branch = string(msg)
	case Failure:
		m.talk.Note(levelError, msg.Err.Error(), m.o.Now())
	case Edited:
		m.edited(msg)
	case hintOver:
		m.hintOver(msg)
	case secondOver:
		return m, m.secondOver()
	case removalDue:
		return m, m.removalDue(msg)
	}
	return m, nil
}

// The levels of a note.
const (
	levelInfo  = "info"
	levelError = "error"
)

// note leaves a line in the conversation.
func (m *Model) note(level, text string) {
	m.talk.Note(level, text, m.o.Now())
	m.page.End()
}

// title returns the title of the session.
func (m *Model) title() string {
	if name := m.state().Settings.Name; name != "" {
		return name
	}
	for _, it := range m.talk.Items()[:min(5, len(m.talk.Items()))] {
		if it.Kind == conversation.You {
			return it.Text
		}
	}
	return ""
}
