package file

import "sort"

// markEvery is how far apart marks are, in bytes.
const markEvery = 1 << 20

// marks are some positions of a checked journal, in order: a reader that wants only what
// is behind one need not start at the beginning.
type marks []position

// add keeps p, if it is far enough from the last mark.
func (m *marks) add(p position) {
	if p.offset-m.last().offset >= markEvery {
		*m = append(*m, p)
	}
}

func (m marks) last() position {
	if len(m) == 0 {
		return position{}
	}
	return m[len(m)-1]
}

// before is the last mark that record number from stands behind.
func (m marks) before(from uint64) position {
	n := sort.Search(len(m), func(i int) bool { return m[i].seq >= from })
	return m[:n].last()
}
