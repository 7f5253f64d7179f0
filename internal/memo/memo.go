// Package memo keeps answers that are asked for again and again and never change.
package memo

import "sync"

// A Memo keeps up to Most answers by their questions. One too many, and it forgets them all:
// who asks for a few gets them at once, and who asks for many loses time and not memory.
type Memo[Q comparable, A any] struct {
	Most int

	mu   sync.Mutex
	kept map[Q]A
}

// Of is the answer to question: the one that is kept, or answer's, which is asked then.
func (m *Memo[Q, A]) Of(question Q, answer func(Q) A) A {
	m.mu.Lock()
	found, ok := m.kept[question]
	m.mu.Unlock()
	if ok {
		return found
	}
	found = answer(question)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil || len(m.kept) >= m.Most {
		m.kept = make(map[Q]A)
	}
	m.kept[question] = found
	return found
}
