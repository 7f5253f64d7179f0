package rule

// A Watch finds the rules that one answer breaks while it is streamed. It reports each rule once.
// It is not safe for concurrent use.
type Watch struct {
	rules   []*Rule
	streams map[int]*stream // by block
	broken  map[*Rule]bool
}

// A stream is a block of the answer.
type stream struct {
	source  Source
	tool    string
	input   input
	written tail
	strings tail // the strings in the input of a call
}

// NewWatch returns a Watch on one answer. It ignores rules that are not watched.
func NewWatch(rules []*Rule) *Watch {
	w := &Watch{streams: map[int]*stream{}, broken: map[*Rule]bool{}}
	for _, r := range rules {
		if r.Watched() {
			w.rules = append(w.rules, r)
		}
	}
	return w
}

// Text adds a piece of a block of text, or, at Thinking, of reasoning, and returns the rules that
// it breaks.
func (w *Watch) Text(at Source, block int, piece string) []*Rule {
	s := w.stream(block, at)
	s.written.add(piece)
	return w.check(s)
}

// Input adds a piece of the input of a call, as JSON, and returns the rules that it breaks. The
// first piece has the name of the tool; the others may have "".
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
	return w.check(s)
}

func (w *Watch) stream(block int, at Source) *stream {
	if w.streams[block] == nil || w.streams[block].source != at {
		w.streams[block] = &stream{source: at}
	}
	return w.streams[block]
}

func (w *Watch) check(s *stream) (broken []*Rule) {
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
