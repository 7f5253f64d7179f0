package codex

import "testing"

// TestReadState: what is unread after turns, the requests of clients and reverts; a turn that ended after what a client knew stays unread.
func TestReadState(t *testing.T) {
	add := func(turn string, start, end uint64) func(*readState) {
		return func(s *readState) {
			s.start = start
			s.add(turn, end)
		}
	}
	mark := func(r reading, seq uint64) func(*readState) {
		return func(s *readState) { s.mark(r, seq) }
	}
	revert := func(head, seq uint64) func(*readState) {
		return func(s *readState) { s.revert(head, seq) }
	}
	one, two := add("one", 2, 5), add("two", 7, 9)
	read := mark(reading{Revision: 2, Head: 6}, 10)
	for name, c := range map[string]struct {
		steps    []func(*readState)
		first    string
		all      bool
		revision int
	}{
		"new":                         {},
		"turns":                       {[]func(*readState){one, two}, "one", false, 2},
		"read":                        {[]func(*readState){one, read}, "", false, 2},
		"read, and a turn":            {[]func(*readState){one, read, add("two", 11, 14)}, "two", false, 3},
		"read while another turn ran": {[]func(*readState){one, two, read}, "two", false, 3},
		"of a version without heads":  {[]func(*readState){one, two, mark(reading{Revision: 2}, 10)}, "", false, 3},
		"unread":                      {[]func(*readState){one, mark(reading{Revision: 2, Unread: true, Head: 6}, 10)}, "", true, 2},
		"unread, and a turn":          {[]func(*readState){mark(reading{Revision: 1, Unread: true}, 2), add("two", 7, 9)}, "", true, 2},
		"the unread turn is reverted": {[]func(*readState){one, two, revert(1, 10)}, "", false, 3},
		"a later turn is reverted":    {[]func(*readState){one, two, revert(6, 10)}, "one", false, 2},
	} {
		var s readState
		for _, step := range c.steps {
			step(&s)
		}
		if s.first.turn != c.first || s.all != c.all || s.revision != c.revision {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
