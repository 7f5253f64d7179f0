package approval

import (
	"strings"
	"sync"
)

// A wordList is words with white space between them, which are split at their first use.
type wordList struct {
	words string

	once sync.Once
	list []string
}

func (l *wordList) get() []string {
	l.once.Do(func() { l.list = strings.Fields(l.words) })
	return l.list
}

// A wordSet is a set of words, as a wordList has them.
type wordSet struct {
	words string

	once sync.Once
	set  map[string]bool
}

func (s *wordSet) get() map[string]bool {
	s.once.Do(func() {
		s.set = map[string]bool{}
		for _, word := range strings.Fields(s.words) {
			s.set[word] = true
		}
	})
	return s.set
}
