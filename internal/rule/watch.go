package rule

// A Watch looks at one answer while it is written, for rules that it breaks. Each is found
// once. It is for one goroutine.
type Watch struct {
	rules   []*Rule
	streams map[int]*stream // by blocks
	broken  map[*Rule]bool
}

// A stream is a block of the answer.
type stream struct {
	source  Source
	tool    string
	input   input
	written tail
	strings tail // of the input of a call: the texts in it
}

// NewWatch begins to look at an answer. Rules that are not watched are left out.
func NewWatch(rules []*Rule) *Watch {
	w := &Watch{streams: map[int]*stream{}, broken: map[*Rule]bool{}}
	for _, r := range rules {
		if r.Watched() {
			w.rules = append(w.rules, r)
		}
	}
	return w
}

// Text takes a piece of a block of text, or, at Thinking, of thoughts, and is the rules that
// it breaks.
func (w *Watch) Text(at Source, block int, piece string) []*Rule {
	s := w.stream(block, at)
	s.written.add(piece)
	return w.look(s)
}

// Input takes a piece of the input of a call, as JSON. The name of the tool is told with the
// first one; others may leave it out.
func (w *Watch) Input(block int, tool, piece string) []*Rule {
	s := w.stream(block, Tool)
	if tool != "" {
		s.tool = tool
	}
	if piece == "" {
		return nil
	}
	s.written.add(piece)
	s.strings.add(s.input.add(piece))
	return w.look(s)
}

func (w *Watch) stream(block int, at Source) *stream {
	if w.streams[block] == nil || w.streams[block].source != at {
		w.streams[block] = &stream{source: at}
	}
	return w.streams[block]
}

func (w *Watch) look(s *stream) (broken []*Rule) {
	for _, r := range w.rules {
		if w.broken[r] || !r.watched.about(s.source, s.tool, s.input.file) {
			continue
		}
		for _, c := range r.watched.conditions {
			if c.found(&s.written) || s.strings.text != "" && c.found(&s.strings) {
				w.broken[r] = true
				broken = append(broken, r)
				break
			}
		}
	}
	return broken
}
