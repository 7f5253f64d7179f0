package pisces

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file contains what extensions do with the history that models read: extensions
// are an engine.HistoryEditor.

// History asks them what the next request has of the history. A message that is not sent
// to clients is not sent to extensions either, and stays where it is.
func (x *extensions) History(ctx context.Context, all []engine.HistoryMessage) []engine.HistoryMessage {
	run, s := x.running(), x.now.Load()
	if run == nil || s == nil || !run.Listens("context") {
		return nil
	}
	h, err := s.history(ctx)
	if err != nil {
		x.c.cfg.Log.Warn("extensions not asked about the context", "error", err)
		return nil
	}
	messages, places := shownOf(h, all)
	var answer struct {
		Messages []jsontext.Value `json:"messages"` // the number of one that was shown, or a new one
	}
	answered := x.ask(ctx, struct {
		Type     string            `json:"type"`
		Messages []message.Message `json:"messages"`
	}{"context", messages}, false, &answer)
	if !answered || answer.Messages == nil {
		return nil
	}
	return rewritten(all, places, answer.Messages)
}

// shownOf returns the messages of a history as they are sent to clients, and the place of each in it.
func shownOf(h *sessionfile.History, all []engine.HistoryMessage) (messages []message.Message, places []int) {
	bySeq, byCall := map[uint64]message.Message{}, map[string]message.Message{}
	var summary message.Message
	for _, m := range h.Context() {
		if m.MessageRole() == message.RoleCompactionSummary {
			summary = m
		}
	}
	for _, e := range h.Path() {
		switch m := e.Message().(type) {
		case nil:
		case message.ToolResult:
			byCall[m.ToolCallID] = m
		case message.Raw:
			if m.Role == message.RoleToolResult {
				byCall[rawjson.PlainText(message.Parsed(m).Get("toolCallId"))] = m
				continue
			}
			bySeq[h.Seqs[e.ID]] = m
		default:
			bySeq[h.Seqs[e.ID]] = m
		}
	}
	messages = []message.Message{}
	for i, said := range all {
		m := bySeq[said.Seq]
		switch {
		case said.Summary:
			m = summary
		case said.Role == model.Tool && len(said.Blocks) > 0 && said.Blocks[0].Result != nil:
			m = byCall[said.Blocks[0].Result.CallID]
		}
		if m != nil {
			messages, places = append(messages, m), append(places, i)
		}
	}
	return messages, places
}

// rewritten returns the history as extensions want it.
func rewritten(all []engine.HistoryMessage, places []int, answer []jsontext.Value) []engine.HistoryMessage {
	shown := map[int]bool{}
	for _, place := range places {
		shown[place] = true
	}
	edited, next := []engine.HistoryMessage{}, 0
	// hidden is what was not shown, up to a place.
	hidden := func(end int) {
		for ; next < end; next++ {
			if !shown[next] {
				edited = append(edited, all[next])
			}
		}
	}
	for _, value := range answer {
		if n := int(rawjson.Number(value)); value.Kind() == jsontext.KindNumber && n >= 0 && n < len(places) {
			hidden(places[n])
			edited = append(edited, all[places[n]])
			continue
		}
		if said, ok := saidBy(value); ok {
			edited = append(edited, said)
		}
	}
	hidden(len(all))
	return edited
}

// saidBy returns a message that an extension has made.
func saidBy(value jsontext.Value) (engine.HistoryMessage, bool) {
	raw, ok := message.RawMessage(value)
	if !ok {
		return engine.HistoryMessage{}, false
	}
	m := message.Parsed(raw)
	switch raw.Role {
	case message.RoleAssistant:
		im := &sessionfile.Importer{Calls: map[string]int{}}
		return engine.HistoryMessage{Role: model.Assistant, Blocks: im.AnswerBlocks(m, true)}, true
	case message.RoleToolResult:
		r := model.Result{CallID: rawjson.PlainText(m.Get("toolCallId")), IsError: rawjson.IsTrue(m.Get("isError"))}
		var texts []string
		for _, b := range message.BlocksForModel(m.Get("content")) {
			if b.Image != nil {
				r.Images = append(r.Images, *b.Image)
				continue
			}
			texts = append(texts, b.Text)
		}
		r.Text = strings.Join(texts, "\n")
		return engine.HistoryMessage{Role: model.Tool, Blocks: []model.Block{model.ResultBlock(r)}}, true
	case message.RoleBashExecution:
		said := fmt.Sprintf("Ran `%s`\n```\n%s\n```", rawjson.PlainText(m.Get("command")), rawjson.PlainText(m.Get("output")))
		return engine.HistoryMessage{Role: model.User, Blocks: []model.Block{model.TextBlock(said)}}, true
	}
	return engine.HistoryMessage{Role: model.User, Blocks: message.ModelBlocks(raw)}, true
}

// preparation is what extensions are sent about a compaction that is about to be made.
type preparation struct {
	FirstKeptEntryID    string            `json:"firstKeptEntryId,omitzero"`
	MessagesToSummarize []message.Message `json:"messagesToSummarize"`
	TurnPrefixMessages  []message.Message `json:"turnPrefixMessages"` // none: a turn is never divided
	IsSplitTurn         bool              `json:"isSplitTurn"`
	TokensBefore        int               `json:"tokensBefore"`
	PreviousSummary     string            `json:"previousSummary,omitzero"`
}

// DraftCompaction asks them about a compaction: whether there is one, and what is to be summarised how.
func (x *extensions) DraftCompaction(ctx context.Context, c engine.CompactionRequest) (d engine.CompactionDraft) {
	run, s := x.running(), x.now.Load()
	if run == nil || s == nil || !run.Listens("session_before_compact") && !run.Listens("session.compacting") {
		return d
	}
	x.drafted.Store(false)
	h, err := s.history(ctx)
	if err != nil {
		x.c.cfg.Log.Warn("extensions not asked about the compaction", "error", err)
		return d
	}
	p := preparationOf(h, c)
	var wanted struct {
		Cancel     bool `json:"cancel"`
		Compaction *struct {
			Summary          string  `json:"summary"`
			FirstKeptEntryID *string `json:"firstKeptEntryId"`
		} `json:"compaction"`
	}
	x.ask(ctx, struct {
		Type          string           `json:"type"`
		Preparation   preparation      `json:"preparation"`
		BranchEntries []jsontext.Value `json:"branchEntries"`
		Guidance      string           `json:"customInstructions,omitzero"`
		Reason        string           `json:"reason"`
	}{"session_before_compact", p, pathLines(h), c.Guidance, string(c.Reason)}, true, &wanted)
	if wanted.Cancel {
		return engine.CompactionDraft{Refused: true}
	}
	if made := wanted.Compaction; made != nil && strings.TrimSpace(made.Summary) != "" {
		x.drafted.Store(true)
		d.Summary = made.Summary
		if made.FirstKeptEntryID != nil {
			if seq, known := h.Seqs[*made.FirstKeptEntryID]; known || *made.FirstKeptEntryID == "" {
				d.KeptFrom = &seq
			}
		}
		return d
	}
	var more struct {
		Context []string `json:"context"`
		Prompt  string   `json:"prompt"`
	}
	x.ask(ctx, struct {
		Type      string            `json:"type"`
		SessionID event.SessionID   `json:"sessionId"`
		Messages  []message.Message `json:"messages"`
	}{"session.compacting", s.eng.ID(), p.MessagesToSummarize}, true, &more)
	return engine.CompactionDraft{Prompt: more.Prompt, Context: more.Context}
}

// preparationOf returns what a compaction would summarise, and what it would keep.
func preparationOf(h *sessionfile.History, c engine.CompactionRequest) preparation {
	p := preparation{MessagesToSummarize: []message.Message{}, TurnPrefixMessages: []message.Message{}, TokensBefore: c.TokensBefore}
	kept := 0
	path := h.Path()
	for i, e := range path {
		if c.KeptFrom != 0 && h.Seqs[e.ID] >= c.KeptFrom && e.Message() != nil {
			p.FirstKeptEntryID, kept = e.ID, len(path)-i
			break
		}
	}
	keptMessages := 0
	for _, e := range path[len(path)-kept:] {
		if e.Message() != nil {
			keptMessages++
		}
	}
	messages := h.Context()
	for _, m := range messages[:max(0, len(messages)-keptMessages)] {
		if summary, ok := m.(message.CompactionSummary); ok {
			p.PreviousSummary = summary.Summary
			continue
		}
		p.MessagesToSummarize = append(p.MessagesToSummarize, m)
	}
	return p
}

// pathLines returns the entries of a history's path as they stand in the file.
func pathLines(h *sessionfile.History) []jsontext.Value {
	lines := []jsontext.Value{}
	for _, e := range h.Path() {
		lines = append(lines, e.Line())
	}
	return lines
}

// userBash asks them about a command of the user; false: it is to be run.
func (x *extensions) userBash(ctx context.Context, s *session, line string) (ran event.CommandRan, done bool) {
	var answer struct {
		Result *struct {
			Output    string `json:"output"`
			ExitCode  *int   `json:"exitCode"`
			Cancelled bool   `json:"cancelled"`
			Truncated bool   `json:"truncated"`
		} `json:"result"`
	}
	answered := x.ask(ctx, struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Hidden  bool   `json:"excludeFromContext"`
		Cwd     string `json:"cwd"`
	}{"user_bash", line, false, s.eng.State().Dir()}, false, &answer)
	if !answered || answer.Result == nil {
		return ran, false
	}
	r := answer.Result
	output := strings.ToValidUTF8(r.Output, "\uFFFD")
	ran = event.CommandRan{
		Shell: event.ShellRun{Command: line}, Output: output, Cut: r.Truncated, Cancelled: r.Cancelled,
		Lines: strings.Count(output, "\n") + 1, Bytes: int64(len(output)),
	}
	if r.ExitCode != nil {
		ran.Shell.ExitCode = *r.ExitCode
	}
	return ran, true
}
