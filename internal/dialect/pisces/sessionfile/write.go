package sessionfile

import (
	"cmp"
	"io"
	"iter"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/event"
)

// A scribe is the fold from records to the entries of a session file. What was imported comes
// out as it was.
type scribe struct {
	*message.Fold
	header   Header
	settings event.Settings
	created  event.Record
	begun    bool              // there is an entry
	leaf     string            // the last entry of the path; "": none
	leaves   map[uint64]string // by the nodes of the history: the last entry that belongs to each
}

// newScribe returns a scribe of a session that came from parent: what the header says of it, or "".
func newScribe(with message.Surroundings, parent string) *scribe {
	return &scribe{
		Fold: message.NewFold(with), header: Header{Type: message.EntryHeader, Version: Version, ParentSession: parent},
		leaves: map[uint64]string{},
	}
}

// write takes the next durable record, and is the entries that it gives. The header may have
// changed too.
func (s *scribe) write(rec event.Record) []Entry {
	messages := slices.DeleteFunc(s.Apply(rec), func(m message.Finished) bool { return m.Void })
	switch e := rec.Event.(type) {
	case event.SessionCreated:
		s.begin(rec, e)
		return nil
	case event.Branched:
		s.leaf = s.leaves[e.Head]
		return nil
	case event.Reminded, event.ContextNote:
		s.leaves[rec.Seq] = s.leaf
		return nil
	}
	var all []Entry
	if rec.Origin != nil {
		all = s.keep(rec)
	} else {
		all = s.own(rec, messages)
	}
	if e, ok := rec.Event.(event.SessionChanged); ok {
		s.settings, s.header.Title = e.Settings, e.Settings.Name
	}
	return all
}

func (s *scribe) begin(rec event.Record, e event.SessionCreated) {
	s.created, s.settings = rec, e.Settings
	s.header.ID, s.header.Timestamp, s.header.Cwd, s.header.Title = string(e.ID), Stamp(rec.Time), e.Workspace, e.Settings.Name
	s.header.ParentSession = cmp.Or(s.header.ParentSession, string(e.Parent))
}

// keep returns the entry that a record was imported from.
func (s *scribe) keep(rec event.Record) []Entry {
	e, ok := readEntry(rec.Origin)
	if !ok {
		return nil
	}
	s.begun = true
	s.leaf, s.leaves[s.Last] = e.ID, e.ID
	return []Entry{e}
}

// own returns the entries of a record of our own. Before the first come those that every session
// begins with.
func (s *scribe) own(rec event.Record, messages []message.Finished) (all []Entry) {
	changed, _ := rec.Event.(event.SessionChanged)
	compacted, isCompacted := rec.Event.(event.Compacted)
	labelled, isLabelled := rec.Event.(event.Labelled)
	renamed := changed.Settings.Name != "" && changed.Settings.Name != s.settings.Name
	_, isChange := rec.Event.(event.SessionChanged)
	remodelled := isChange && changed.Settings.Model != s.settings.Model
	rethought := isChange && changed.Settings.Thinking != s.settings.Thinking
	objected, isObjection := rec.Event.(event.RuleViolated)
	kept, isKept := rec.Event.(event.Foreign)
	if len(messages) == 0 && !isKept && !isCompacted && !isLabelled && !isObjection && !renamed && !remodelled && !rethought {
		return nil
	}
	if !s.begun {
		s.begun = true
		first := message.IDs{}
		all = append(all, s.modelChange(s.created, first.Take(s.created), s.settings), s.thinkingChange(s.created, first.Take(s.created), s.settings))
	}
	for _, m := range messages {
		all = append(all, s.message(rec, m))
	}
	if remodelled {
		all = append(all, s.modelChange(rec, s.IDs.Take(rec), changed.Settings))
	}
	if rethought {
		all = append(all, s.thinkingChange(rec, s.IDs.Take(rec), changed.Settings))
	}
	if renamed {
		head := s.head(entryName, s.IDs.Take(rec), rec)
		all = append(all, s.add(head, nameEntry{head, changed.Settings.Name}))
	}
	if isCompacted {
		all = append(all, s.compacted(rec, compacted))
	}
	if isObjection {
		head := s.head(entryRules, s.IDs.Take(rec), rec)
		all = append(all, s.add(head, rulesEntry{head, objected.Rules}))
	}
	if isKept {
		head := s.head(entryCustom, s.IDs.Take(rec), rec)
		data := CustomData{}
		_ = json.Unmarshal(kept.Data, &data, jsontext.AllowDuplicateNames(true)) // what does not fit is left out
		all = append(all, s.add(head, customEntry{head, data}))
	}
	if isLabelled {
		head := s.head(entryLabel, s.IDs.Take(rec), rec)
		all = append(all, s.add(head, labelEntry{head, s.IDs.First(labelled.Target), labelled.Label}))
	}
	return all
}

// head returns the head of the next entry of the path.
func (s *scribe) head(kind, id string, rec event.Record) entryHead {
	h := entryHead{Type: kind, ID: id, Timestamp: Stamp(rec.Time)}
	if s.leaf != "" {
		leaf := s.leaf
		h.ParentID = &leaf
	}
	return h
}

// add returns an entry of our own, which is the leaf from now on.
func (s *scribe) add(h entryHead, body any) Entry {
	e := Entry{Type: h.Type, ID: h.ID, Parent: s.leaf, Timestamp: h.Timestamp, body: body}
	s.leaf, s.leaves[s.Last] = h.ID, h.ID
	return e
}

// message returns the entry of a message. What extensions say, and summaries, have types of their
// own.
func (s *scribe) message(rec event.Record, m message.Finished) Entry {
	raw, _ := m.Message.(message.Raw)
	kind := message.EntryMessage
	switch m.Message.MessageRole() {
	case message.RoleCustom:
		kind = message.EntryCustomMessage
	case message.RoleBranchSummary:
		kind = message.EntryBranchSummary
	}
	h := s.head(kind, m.ID, rec)
	var body any = messageEntry{h, m.Message}
	switch kind {
	case message.EntryCustomMessage:
		b := customMessageEntry{}
		_ = json.Unmarshal(raw.Value, &b, jsontext.AllowDuplicateNames(true)) // what does not fit is left out
		b.entryHead = h
		if b.Content == nil {
			b.Content = jsontext.Value(`""`)
		}
		body = b
	case message.EntryBranchSummary:
		b := branchSummaryEntry{}
		_ = json.Unmarshal(raw.Value, &b, jsontext.AllowDuplicateNames(true)) // what does not fit is left out
		b.entryHead = h
		body = b
	}
	e := s.add(h, body)
	e.msg = m.Message
	return e
}

func (s *scribe) modelChange(rec event.Record, id string, settings event.Settings) Entry {
	m := s.With.Model(settings.Model)
	h := s.head(entryModel, id, rec)
	return s.add(h, modelEntry{h, m.Provider + "/" + m.ID, m.Provider, m.ID})
}

func (s *scribe) thinkingChange(rec event.Record, id string, settings event.Settings) Entry {
	h := s.head(entryThinking, id, rec)
	return s.add(h, thinkingEntry{h, cmp.Or(message.ThinkingLevel(settings.Thinking), message.ThinkingOff)})
}

func (s *scribe) compacted(rec event.Record, e event.Compacted) Entry {
	h := s.head(entryCompaction, s.IDs.Take(rec), rec)
	return s.add(h, compactionEntry{h, s.Compaction(rec, e)})
}

// Write writes the file of a session, whole.
func Write(w io.Writer, records iter.Seq2[event.Record, error], with message.Surroundings, parent string) error {
	head := newScribe(with, parent) // the header has the last name, which stands at the end
	for rec, err := range records {
		if err != nil {
			return err
		}
		switch rec.Event.(type) {
		case event.SessionCreated, event.SessionChanged:
			head.write(rec)
		}
	}
	if err := writeLine(w, rawjson.Marshal(head.header)); err != nil {
		return err
	}
	s := newScribe(with, parent)
	for rec, err := range records {
		if err != nil {
			return err
		}
		for _, e := range s.write(rec) {
			if err := writeLine(w, e.Line()); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeLine(w io.Writer, line jsontext.Value) error {
	_, err := w.Write(append(line[:len(line):len(line)], '\n'))
	return err
}
