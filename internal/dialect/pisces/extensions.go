package pisces

import (
	"bytes"
	"context"
	"slices"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/extension"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/model"
)

// The engine uses what a plugin implements: without these a method with a wrong name is left out.
var (
	_ engine.CallInterceptor = (*extensions)(nil)
	_ engine.HistoryEditor   = (*extensions)(nil)
	_ engine.ToolFilter      = (*extensions)(nil)
	_ extension.Session      = (*extensions)(nil)
)

// extensions is those of a connection. The zero value of all but c is one without any.
type extensions struct {
	c       *conn
	dialogs dialogs
	now     atomic.Pointer[session] // nil: there is none yet
	sending atomic.Int32            // how many events are being sent that the pump waits for
	drafted atomic.Bool             // an extension has written the summary that is recorded next

	mu     lock.Mutex
	run    *extension.Host // nil: there are none
	active map[string]bool // tools that were switched on or off
	notes  []event.Note    // for the next prompt
}

// running returns the extensions; nil: there are none.
func (x *extensions) running() *extension.Host {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.run
}

// begin starts them, and sends them the event of the session's start.
func (x *extensions) begin(ctx context.Context) {
	if x.c.cfg.Extensions == nil {
		return
	}
	run := x.c.cfg.Extensions(ctx, x)
	if run == nil {
		return
	}
	x.mu.Lock()
	x.run = run
	x.mu.Unlock()
	x.emit(ctx, plainEvent{Type: "session_start", Reason: "startup"})
}

// close ends them; what they do at their end still counts.
func (x *extensions) close() {
	x.dialogs.settle(true)
	if run := x.running(); run != nil {
		run.Close()
	}
}

type plainEvent struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

// emit sends an event whose answer is not used.
func (x *extensions) emit(ctx context.Context, event any) {
	name := eventName(event)
	if run := x.running(); run != nil && run.Listens(name) {
		if _, err := run.Emit(ctx, event, false); err != nil && ctx.Err() == nil {
			x.c.cfg.Log.Warn("event not sent to extensions", "event", name, "error", err)
		}
	}
}

// ask sends an event, and reads the answer; false: there is none.
func (x *extensions) ask(ctx context.Context, event any, veto bool, answer any) bool {
	run := x.running()
	if run == nil || !run.Listens(eventName(event)) {
		return false
	}
	said, err := run.Emit(ctx, event, veto)
	return err == nil && json.Unmarshal(said, answer, rawjson.Lenient...) == nil
}

// eventName returns the type of an event.
func eventName(event any) string {
	value, ok := event.(jsontext.Value)
	if !ok {
		value = rawjson.Marshal(event)
	}
	rest, _ := bytes.CutPrefix(value, []byte(`{"type":"`))
	name, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(name)
}

// sendLines sends each event to the extensions before clients receive it, and returns the lines that
// clients have not received yet. The pump waits meanwhile, so what extensions send now does not wait for it.
func (x *extensions) sendLines(lines [][]byte) [][]byte {
	run := x.running()
	if run == nil {
		return lines
	}
	seen := 0
	for i, line := range lines {
		if !run.Listens(eventName(jsontext.Value(line))) {
			continue
		}
		for _, line := range x.c.chosen(lines[seen:i]) {
			x.c.out.Put(line)
		}
		seen = i
		x.sending.Add(1)
		x.emit(x.c.life, jsontext.Value(line))
		x.sending.Add(-1)
	}
	return lines[seen:]
}

// sendRecord sends the events of records that have none on the wire.
func (x *extensions) sendRecord(s *session, rec event.Record) {
	if _, ok := rec.Event.(event.Compacted); !ok || x.running() == nil {
		return
	}
	x.sending.Add(1)
	defer x.sending.Add(-1)
	x.emit(x.c.life, struct {
		Type            string                   `json:"type"`
		CompactionEntry message.CompactionResult `json:"compactionEntry"`
		FromExtension   bool                     `json:"fromExtension"`
	}{"session_compact", s.view.summary, x.drafted.Swap(false)})
}

// vetoed asks whether something may happen.
func (x *extensions) vetoed(event any) bool {
	var answer struct {
		Cancel bool `json:"cancel"`
	}
	return x.ask(x.c.life, event, true, &answer) && answer.Cancel
}

type switchEvent struct {
	Type     string `json:"type"`
	Reason   string `json:"reason,omitzero"` // new, resume or fork
	Target   string `json:"targetSessionFile,omitzero"`
	Previous string `json:"previousSessionFile,omitzero"`
	EntryID  string `json:"entryId,omitzero"`
}

// show sends a frame of an extension after the events that are there.
func (x *extensions) show(e Event) {
	s := x.now.Load()
	if s == nil || x.sending.Load() > 0 {
		x.c.out.Post(encode(e))
		return
	}
	s.pump.Reply(encode(e))
}

// Failed reports what an extension did wrong. It implements extension.Session.
func (x *extensions) Failed(f extension.Failure) {
	x.c.cfg.Log.Warn("extension failed", "extension", f.Path, "event", f.Event, "error", f.Problem)
	x.show(ExtensionError{ExtensionPath: f.Path, Event: f.Event, Error: f.Problem})
}

func (x *extensions) newID() string {
	return string(sessionfile.NewID(x.c.cfg.Now(), x.c.cfg.Random()))
}

// command returns the command that a message names.
func (x *extensions) command(message string) (name, args string, ok bool) {
	name, args, ok = slashed(message)
	run := x.running()
	if !ok || run == nil {
		return "", "", false
	}
	return name, args, slices.ContainsFunc(x.commands(), func(c extension.RegisteredCommand) bool { return c.Name == name })
}

func (x *extensions) commands() []extension.RegisteredCommand {
	if run := x.running(); run != nil {
		return run.Registered().Commands
	}
	return nil
}

// OffersTool reports whether a tool is switched on.
func (x *extensions) OffersTool(name string) bool {
	x.mu.Lock()
	on, decided := x.active[name]
	run := x.run
	x.mu.Unlock()
	if decided || run == nil {
		return on || !decided
	}
	return !slices.ContainsFunc(run.Registered().Tools, func(t extension.RegisteredTool) bool { return t.Name == name && t.Inactive })
}

// prepare sends the event of a prompt that is about to start a run, and adds what extensions want to add.
func (x *extensions) prepare(ctx context.Context, s *session, p *engine.Prompt, images []message.Image) {
	x.mu.Lock()
	p.Notes = append(p.Notes, x.notes...)
	x.notes = nil
	x.mu.Unlock()
	var answer struct {
		Messages     []customContent `json:"messages"`
		SystemPrompt *string         `json:"systemPrompt"`
	}
	system := s.eng.Context().SystemPrompt()
	event := struct {
		Type         string          `json:"type"`
		Prompt       string          `json:"prompt"`
		Images       []message.Image `json:"images,omitzero"`
		SystemPrompt string          `json:"systemPrompt"`
	}{"before_agent_start", p.Text, images, system}
	if !x.ask(ctx, event, false, &answer) {
		return
	}
	for _, m := range answer.Messages {
		p.Notes = append(p.Notes, x.note(m))
	}
	if answer.SystemPrompt != nil {
		p.Tuning.System = *answer.SystemPrompt
	}
}

// customContent is a message of an extension as it gives it.
type customContent struct {
	CustomType string         `json:"customType"`
	Content    jsontext.Value `json:"content"`
	Display    bool           `json:"display"`
	Details    jsontext.Value `json:"details"`
}

// note returns a message of an extension for the model and for clients.
func (x *extensions) note(m customContent) event.Note {
	if m.Content == nil {
		m.Content = jsontext.Value(`""`)
	}
	return event.Note{Blocks: modelContent(m.Content), Sent: rawjson.Marshal(message.Custom{
		Role: message.RoleCustom, CustomType: m.CustomType, Content: m.Content, Display: m.Display, Details: m.Details,
		Attribution: "agent", Timestamp: x.c.cfg.Now().UnixMilli(),
	})}
}

// modelContent returns content, a text or blocks, as the model is sent it.
func modelContent(content jsontext.Value) []model.Block {
	var blocks []model.Block
	for _, b := range message.RawBlocks(content) {
		switch b.Type {
		case message.TypeText:
			blocks = append(blocks, model.TextBlock(b.Text))
		case message.TypeImage:
			if img, err := (message.Image{Type: message.TypeImage, Data: b.Data, MIMEType: b.MIMEType}).Decoded(); err == nil {
				blocks = append(blocks, model.ImageBlock(img))
			}
		}
	}
	if len(blocks) == 0 {
		blocks = append(blocks, model.TextBlock(""))
	}
	return blocks
}
