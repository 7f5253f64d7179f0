package loaf

import (
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A view is a session as clients know it: a fold of the records of its chat. render.go has
// the fold.
type view struct {
	session  string
	context  surroundings
	settings event.Settings

	messages     []Message
	history      []entry
	label        string    // statusLabel
	conversation *Provider // of the last finished turn
	turns        int       // begun
	updated      string
	turn         *turn // nil between turns
	compacting   *compaction
	compacted    CompactionCompleted // the last one
	begun        chan struct{}       // closed when the client is sent the beginning of a compaction; nil: nothing waits for it
	silenced     bool                // the running turn is interrupted for a compaction
	out          []signal            // what the record at hand causes
}

// surroundings is what a view needs to know beyond records.
type surroundings struct {
	nextMessage func() int // ids count up in the process
	blob        func(address string) ([]byte, error)
	pinned      func() int // tokens of the system prompt
	schema      func() int // tokens of the tools
	provider    func(model string) *Provider
	window      func(model string) int
	mentioned   func(prompt string) []string // skills
}

// A signal is an event for the client.
type signal struct {
	name   string
	params any
	all    bool // only in the scope that has everything
	debug  bool // only while debugging is on
}

// An entry is a line of the history, and the record it came with.
type entry struct {
	HistoryEntry
	seq uint64
}

// A turn is the running turn.
type turn struct {
	id        string
	prompt    *event.UserMessage // until it is shown
	said      []entry            // prompt and steers
	answer    []byte             // all text so far
	answered  bool               // a chunk of it was sent
	answerSeq uint64             // of its last record
	thoughts  map[int]*thought
	blocks    map[int]int // bytes sent of each text block of the answer under way
	status    string      // the label that was last sent
	round     int         // of tools
	calls     map[event.CallID]event.ToolIntended
	executed  []Executed
	failures  int
	steering  int // steers that wait
	lost      int // steers that never reached the model
}

// A thought is a block of reasoning under way.
type thought struct {
	text []byte
	sent int // length when it was last sent
}

// compaction is one under way.
type compaction struct {
	reason CompactionReason
	before int // tokens
}

func (v *view) emit(name string, params any) {
	v.out = append(v.out, signal{name: name, params: params})
}

// emitAll is for clients that want everything.
func (v *view) emitAll(name string, params any) {
	v.out = append(v.out, signal{name: name, params: params, all: true})
}

// status sends what the session does, and stores it. Some labels carry the turn's id.
func (v *view) status(label string, withTurn bool) {
	v.label = label
	s := SessionStatus{SessionID: v.session, Pending: v.turn != nil, StatusLabel: label}
	if v.turn != nil {
		v.turn.status = label
		if withTurn {
			s.TurnID = v.turn.id
		}
	}
	v.emit(EventSessionStatus, s)
}

// say adds a message that the user sees; without closing it is only for clients that want everything.
func (v *view) say(kind MessageKind, text string, images []Image, closing bool) {
	if images == nil {
		images = []Image{}
	}
	m := Message{ID: v.context.nextMessage(), Kind: kind, Text: text, Images: images}
	v.messages = append(v.messages, m)
	appended := MessageAppended{v.session, m}
	if closing {
		v.emit(EventMessageAppended, appended)
	} else {
		v.emitAll(EventMessageAppended, appended)
	}
}

// estimate sends how much of the window is used.
func (v *view) estimate() {
	provider, breakdown := v.breakdown()
	v.emit(EventContextEstimate, ContextEstimate{v.session, provider, breakdown.total(), "history", breakdown})
}

// breakdown returns what the next request is made of. A session without any turn has nothing.
func (v *view) breakdown() (*Provider, ContextBreakdown) {
	if v.turns == 0 {
		return nil, ContextBreakdown{}
	}
	provider := v.context.provider(v.settings.Model)
	if provider == nil {
		provider = v.conversation
	}
	b := ContextBreakdown{PinnedTokens: v.context.pinned(), ConversationTokens: conversationTokens(v.history)}
	if provider != nil {
		b.ToolSchemaTokens, b.ProviderOverheadTokens = v.context.schema(), overhead(provider)
	}
	return provider, b
}

// state returns the session as session.get sends it, without what only the connection knows.
func (v *view) state() SessionState {
	provider, breakdown := v.breakdown()
	s := SessionState{
		ID: v.session, UpdatedAt: v.updated, Pending: v.turn != nil, StatusLabel: v.label,
		Messages: slices.Clone(v.messages), History: []HistoryEntry{}, Queue: []QueueItem{},
		ConversationProvider: v.conversation, ContextTokenEstimate: breakdown.total(), ContextTokenSource: "history",
		ContextTokenProvider: provider, ContextTokenBreakdown: breakdown,
	}
	if s.Messages == nil {
		s.Messages = []Message{}
	}
	for _, e := range v.history {
		s.History = append(s.History, e.HistoryEntry)
	}
	if v.turn != nil {
		s.PendingSteerCount = v.turn.steering
	}
	return s
}

// pictures returns the images of a message as clients see them.
func (v *view) pictures(blocks []model.Block) []Image {
	var images []Image
	for _, b := range blocks {
		if b.Image == nil {
			continue
		}
		shown := *b.Image
		if shown.Data == nil {
			shown.Data, _ = v.context.blob(shown.Blob) // an image that is gone is shown as an empty one
		}
		images = append(images, Image{shown.Name, shown.MIME, shown.DataURL(), len(shown.Data)})
	}
	return images
}

func textOf(blocks []model.Block) string {
	text := ""
	for _, b := range blocks {
		if b.Kind == "text" {
			text += b.Text
		}
	}
	return text
}
