package pisces

import (
	"cmp"
	"io"
	"iter"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
)

// A scribe is the fold from records to the entries of a session file. What was imported comes
// out as it was.
type scribe struct {
	*teller
	header   fileHeader
	settings event.Settings
	created  event.Record
	begun    bool              // there is an entry
	leaf     string            // the last entry of the path; "": none
	leaves   map[uint64]string // by the nodes of the history: the last entry that belongs to each
}

// newScribe is a scribe of a session that came from parent: what the header says of it, or "".
func newScribe(with surroundings, parent string) *scribe {
	return &scribe{
		teller: newTeller(with), header: fileHeader{Type: entryHeader, Version: fileVersion, ParentSession: parent},
		leaves: map[uint64]string{},
	}
}

// write takes the next durable record, and is the entries that it gives. The header may have
// changed too.
func (s *scribe) write(rec event.Record) []entry {
	messages := slices.DeleteFunc(s.tell(rec), func(m told) bool { return m.void })
	switch e := rec.Event.(type) {
	case event.SessionCreated:
		s.begin(rec, e)
		return nil
	case event.Branched:
		s.leaf = s.leaves[e.Head]
		return nil
	case event.Reminded:
		s.leaves[rec.Seq] = s.leaf
		return nil
	}
	var all []entry
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
	s.header.ID, s.header.Timestamp, s.header.Cwd, s.header.Title = string(e.ID), stamp(rec.Time), e.Workspace, e.Settings.Name
	s.header.ParentSession = cmp.Or(s.header.ParentSession, string(e.Parent))
}

// keep is the entry that a record was imported from.
func (s *scribe) keep(rec event.Record) []entry {
	e, ok := readEntry(rec.Origin)
	if !ok {
		return nil
	}
	s.begun = true
	s.leaf, s.leaves[s.last] = e.ID, e.ID
	return []entry{e}
}

// own is the entries of a record of our own. Before the first come those that every session
// begins with.
func (s *scribe) own(rec event.Record, messages []told) (all []entry) {
	changed, _ := rec.Event.(event.SessionChanged)
	compacted, isCompacted := rec.Event.(event.Compacted)
	labelled, isLabelled := rec.Event.(event.Labelled)
	renamed := changed.Settings.Name != "" && changed.Settings.Name != s.settings.Name
	_, isChange := rec.Event.(event.SessionChanged)
	remodelled := isChange && changed.Settings.Model != s.settings.Model
	rethought := isChange && changed.Settings.Thinking != s.settings.Thinking
	objected, isObjection := rec.Event.(event.Objected)
	kept, isKept := rec.Event.(event.Foreign)
	if len(messages) == 0 && !isKept && !isCompacted && !isLabelled && !isObjection && !renamed && !remodelled && !rethought {
		return nil
	}
	if !s.begun {
		s.begun = true
		first := names{}
		all = append(all, s.modelChange(s.created, first.take(s.created), s.settings), s.thinkingChange(s.created, first.take(s.created), s.settings))
	}
	for _, m := range messages {
		all = append(all, s.message(rec, m))
	}
	if remodelled {
		all = append(all, s.modelChange(rec, s.ids.take(rec), changed.Settings))
	}
	if rethought {
		all = append(all, s.thinkingChange(rec, s.ids.take(rec), changed.Settings))
	}
	if renamed {
		head := s.head(entryName, s.ids.take(rec), rec)
		all = append(all, s.add(head, nameEntry{head, changed.Settings.Name}))
	}
	if isCompacted {
		all = append(all, s.compacted(rec, compacted))
	}
	if isObjection {
		head := s.head(entryRules, s.ids.take(rec), rec)
		all = append(all, s.add(head, rulesEntry{head, objected.Rules}))
	}
	if isKept {
		head := s.head(entryCustom, s.ids.take(rec), rec)
		data := customData{}
		_ = json.Unmarshal(kept.Data, &data, jsontext.AllowDuplicateNames(true)) // what does not fit is left out
		all = append(all, s.add(head, customEntry{head, data}))
	}
	if isLabelled {
		head := s.head(entryLabel, s.ids.take(rec), rec)
		all = append(all, s.add(head, labelEntry{head, s.ids.first(labelled.Target), labelled.Label}))
	}
	return all
}

// head is the head of the next entry of the path.
func (s *scribe) head(kind, id string, rec event.Record) entryHead {
	h := entryHead{Type: kind, ID: id, Timestamp: stamp(rec.Time)}
	if s.leaf != "" {
		leaf := s.leaf
		h.ParentID = &leaf
	}
	return h
}

// add is an entry of our own, which is the leaf from now on.
func (s *scribe) add(h entryHead, body any) entry {
	e := entry{Type: h.Type, ID: h.ID, Parent: s.leaf, Timestamp: h.Timestamp, body: body}
	s.leaf, s.leaves[s.last] = h.ID, h.ID
	return e
}

// message is the entry of a message. What extensions say, and summaries, have types of their
// own.
func (s *scribe) message(rec event.Record, m told) entry {
	raw, _ := m.msg.(RawMessage)
	kind := entryMessage
	switch m.msg.MessageRole() {
	case RoleCustom:
		kind = entryCustomMessage
	case RoleBranchSummary:
		kind = entryBranchSummary
	}
	h := s.head(kind, m.id, rec)
	var body any = messageEntry{h, m.msg}
	switch kind {
	case entryCustomMessage:
		b := customMessageEntry{}
		_ = json.Unmarshal(raw.Value, &b, jsontext.AllowDuplicateNames(true)) // what does not fit is left out
		b.entryHead = h
		if b.Content == nil {
			b.Content = jsontext.Value(`""`)
		}
		body = b
	case entryBranchSummary:
		b := branchSummaryEntry{}
		_ = json.Unmarshal(raw.Value, &b, jsontext.AllowDuplicateNames(true)) // what does not fit is left out
		b.entryHead = h
		body = b
	}
	e := s.add(h, body)
	e.msg = m.msg
	return e
}

func (s *scribe) modelChange(rec event.Record, id string, settings event.Settings) entry {
	m := s.with.model(settings.Model)
	h := s.head(entryModel, id, rec)
	return s.add(h, modelEntry{h, m.Provider + "/" + m.ID, m.Provider, m.ID})
}

func (s *scribe) thinkingChange(rec event.Record, id string, settings event.Settings) entry {
	h := s.head(entryThinking, id, rec)
	return s.add(h, thinkingEntry{h, cmp.Or(ThinkingLevel(settings.Thinking), ThinkingOff)})
}

func (s *scribe) compacted(rec event.Record, e event.Compacted) entry {
	h := s.head(entryCompaction, s.ids.take(rec), rec)
	return s.add(h, compactionEntry{h, s.compaction(rec, e)})
}

// export writes the file of a session, whole.
func export(w io.Writer, records iter.Seq2[event.Record, error], with surroundings, parent string) error {
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
	if err := writeLine(w, marshal(head.header)); err != nil {
		return err
	}
	s := newScribe(with, parent)
	for rec, err := range records {
		if err != nil {
			return err
		}
		for _, e := range s.write(rec) {
			if err := writeLine(w, e.line()); err != nil {
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
