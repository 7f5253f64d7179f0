package pisces

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

const uiPrefix = "ui."

var errSessionAway = errors.New("there is no session")

// Query answers what is known at once. It implements extension.Session.
func (x *extensions) Query(what string, _ jsontext.Value) (any, error) {
	s := x.now.Load()
	if s == nil {
		return nil, errSessionAway
	}
	switch what {
	case "session":
		return x.lookSession(s)
	case "entries":
		h, err := s.history(x.c.life)
		if err != nil {
			return nil, err
		}
		entries := []jsontext.Value{}
		for _, e := range h.Entries {
			entries = append(entries, e.Line())
		}
		return entries, nil
	case "state":
		return x.lookState(s), nil
	case "systemPrompt":
		return s.eng.Context().SystemPrompt(), nil
	case "models":
		return x.c.availableModels(x.c.life).Models, nil
	case "tools":
		return x.lookTools(), nil
	}
	return nil, fmt.Errorf("nothing is known of %s", what)
}

func (x *extensions) lookSession(s *session) (any, error) {
	h, err := s.history(x.c.life)
	if err != nil {
		return nil, err
	}
	st := s.eng.State()
	seen := struct {
		ID     string             `json:"id"`
		File   string             `json:"file,omitzero"`
		Name   string             `json:"name,omitzero"`
		Leaf   string             `json:"leaf,omitzero"`
		Header sessionfile.Header `json:"header"`
	}{ID: string(st.ID), File: s.path(), Name: st.Settings.Name, Leaf: h.Leaf}
	seen.Header = sessionfile.Header{
		Type: message.EntryHeader, Version: sessionfile.Version, ID: seen.ID, Timestamp: sessionfile.Stamp(st.Summary.Created), Cwd: st.Dir(), Title: seen.Name,
		ParentSession: sessionfile.Option(st.Settings, sessionfile.OptionParent),
	}
	return seen, nil
}

func (x *extensions) lookState(s *session) any {
	type usage struct {
		Tokens  *int     `json:"tokens"`
		Window  int      `json:"contextWindow"`
		Percent *float64 `json:"percent"`
	}
	st := s.eng.State()
	m := x.c.wireModel(st.Settings.Model)
	u := usage{Window: m.ContextWindow}
	if tokens := st.Context; tokens > 0 && u.Window > 0 {
		percent := 100 * float64(tokens) / float64(u.Window)
		u.Tokens, u.Percent = &tokens, &percent
	}
	return struct {
		Model    Model  `json:"model"`
		Idle     bool   `json:"idle"`
		Pending  bool   `json:"pending"`
		Thinking string `json:"thinking"`
		Usage    usage  `json:"usage"`
	}{m, st.Turn == "" && !st.Busy, len(st.Steering)+len(st.FollowUps) > 0, string(st.Settings.Thinking), u}
}

type lookedTool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  jsontext.Value `json:"parameters,omitzero"`
	Active      bool           `json:"active"`
}

func (x *extensions) lookTools() []lookedTool {
	tools := []lookedTool{}
	add := func(name, description string, parameters jsontext.Value) {
		tools = append(tools, lookedTool{name, description, parameters, x.OffersTool(name)})
	}
	for _, b := range toolset(x.c.cfg.Flags) {
		add(b.Name, b.Description, b.Schema)
	}
	if run := x.running(); run != nil {
		for _, t := range run.Registered().Tools {
			add(t.Name, t.Description, t.Parameters)
		}
	}
	return tools
}

// extensionRequest is what extensions say with what they want.
type extensionRequest struct {
	Message    customContent  `json:"message"`
	Content    jsontext.Value `json:"content"`
	CustomType string         `json:"customType"`
	Data       jsontext.Value `json:"data"`
	Options    struct {
		TriggerTurn bool   `json:"triggerTurn"`
		DeliverAs   string `json:"deliverAs"` // steer, followUp or nextTurn
	} `json:"options"`
	EntryID, Label, Name, Level string
	Names                       []string
	Provider                    string `json:"provider"`
	ModelID                     string `json:"modelId"`
	CustomInstructions          string `json:"customInstructions"`
	ParentSession               string `json:"parentSession"`
	SessionPath                 string `json:"sessionPath"`
	TargetID                    string `json:"targetId"`
	Summarize                   bool   `json:"summarize"`
}

func readExtensionRequest(params jsontext.Value) (w extensionRequest) {
	_ = json.Unmarshal(params, &w, append(rawjson.Lenient, json.MatchCaseInsensitiveNames(true))...) // what does not fit is not there
	return w
}

// Notify does what nothing waits for. It implements extension.Session.
func (x *extensions) Notify(what string, params jsontext.Value) {
	if kind, isUI := strings.CutPrefix(what, uiPrefix); isUI {
		x.showOnly(kind, params)
		return
	}
	s := x.now.Load()
	if s == nil {
		return
	}
	w := readExtensionRequest(params)
	var err error
	switch what {
	case "abort":
		x.dialogs.settle(false)
		s.client.Interrupt()
	case "shutdown":
		x.c.server.End(dialect.ExitOK)
	case "sendMessage":
		err = x.send(s, x.note(w.Message), w.Options.TriggerTurn, w.Options.DeliverAs)
		x.refused("extension_send", err)
		return
	case "sendUserMessage":
		x.refused("extension_send_user", x.say(s, engine.Prompt{Blocks: modelContent(w.Content), Blank: true}, w.Options.DeliverAs))
		return
	case "appendEntry":
		err = s.eng.KeepEntry(sessionfile.Format, rawjson.Marshal(sessionfile.CustomData{CustomType: w.CustomType, Data: w.Data}))
	case "setLabel":
		err = x.label(s, w.EntryID, w.Label)
	case "setSessionName":
		err = s.client.Change(func(set *event.Settings) { set.Name = strings.TrimSpace(w.Name) })
	case "setThinkingLevel":
		err = x.c.thinkingOf(s, message.ThinkingLevel(w.Level))
	}
	if err != nil {
		x.c.cfg.Log.Warn("request of an extension failed", "request", what, "error", err)
	}
}

// refused reports a message that was not accepted.
func (x *extensions) refused(name string, err error) {
	if err != nil {
		x.c.out.Post(encode(Response{Command: name, Error: problemOf(err)}))
	}
}

// send takes a message of an extension: into the run, or after it, or with the next prompt,
// or, without a run, into the history.
func (x *extensions) send(s *session, n event.Note, trigger bool, deliver string) error {
	if deliver == "nextTurn" {
		x.mu.Lock()
		x.notes = append(x.notes, n)
		x.mu.Unlock()
		return nil
	}
	p := engine.Prompt{Blocks: n.Blocks, Sent: n.Sent, Blank: true}
	if len(p.Blocks) == 0 {
		p.Blocks = []model.Block{model.TextBlock("")} // a message may be empty
	}
	if !trigger {
		if err := s.eng.AddMessage(n); !errors.Is(err, engine.ErrTurnActive) {
			return err
		}
	}
	if deliver == "" {
		deliver = "steer"
	}
	return x.say(s, p, deliver)
}

// say takes what stands for a prompt.
func (x *extensions) say(s *session, p engine.Prompt, deliver string) error {
	if err := x.c.keep(s); err != nil {
		return err
	}
	_, err := s.client.Prompt(x.c.life, p)
	switch {
	case !errors.Is(err, engine.ErrTurnActive):
		return err
	case deliver == "steer":
		return s.client.Steer(x.c.life, p)
	case deliver == "followUp":
		return s.client.FollowUp(x.c.life, p)
	}
	return err
}

func (x *extensions) label(s *session, id, label string) error {
	h, err := s.history(x.c.life)
	if err != nil {
		return err
	}
	seq, ok := h.Seqs[id]
	if !ok {
		return fmt.Errorf("there is no entry %q", id)
	}
	return s.eng.Log().Label(seq, label)
}

// Handle does what an extension waits for. It implements extension.Session.
func (x *extensions) Handle(ctx context.Context, what string, params jsontext.Value) (any, error) {
	if kind, isUI := strings.CutPrefix(what, uiPrefix); isUI {
		if value, known := x.dialog(ctx, kind, params); known {
			return value, nil
		}
		return nil, fmt.Errorf("there is no dialog %s", kind)
	}
	w := readExtensionRequest(params)
	s := x.now.Load()
	if s == nil {
		return nil, errSessionAway
	}
	switch what {
	case "waitForIdle":
		return nil, s.eng.Wait(ctx)
	case "setActiveTools":
		return nil, x.activate(w.Names)
	case "setModel":
		name := w.Provider + "/" + w.ModelID
		if x.c.cfg.Host.CheckModel(name) != nil {
			return false, nil
		}
		return true, x.c.modelOfSession(s, name)
	case "compact":
		if err := s.eng.Wait(ctx); err != nil {
			return nil, err
		}
		wait, err := s.eng.Compact(context.Background(), w.CustomInstructions)
		if err == nil {
			_, err = wait()
		}
		if err != nil {
			return nil, errors.New(problemOf(err))
		}
		return nil, nil
	case "newSession":
		return x.exchanged(ctx, NewSession{ParentSession: w.ParentSession})
	case "switchSession":
		return x.exchanged(ctx, SwitchSession{SessionPath: w.SessionPath})
	case "navigateTree":
		return x.navigate(ctx, w)
	case "branch":
		return x.exchanged(ctx, Branch{EntryID: w.EntryID})
	}
	return nil, fmt.Errorf("%s is not possible here", what)
}

// exchanged does a command after which the session is another, after the one that is being done.
func (x *extensions) exchanged(ctx context.Context, params any) (any, error) {
	x.c.mu.Lock()
	defer x.c.mu.Unlock()
	if x.c.closing || ctx.Err() != nil {
		return nil, errSessionAway
	}
	data, err := x.c.change(x.c.life, params)
	return data, err
}

// activate switches tools on, and all others off.
func (x *extensions) activate(names []string) error {
	active := map[string]bool{}
	for _, t := range x.lookTools() {
		active[t.Name] = false
	}
	for _, name := range names {
		active[name] = true
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.active = active
	return nil
}
