package file

import "sort"

// checkpointInterval is the minimum distance between checkpoints, in bytes.
const checkpointInterval = 1 << 20

// checkpoints are positions of a verified journal, in order: a reader of the records after one can
// start there instead of at the beginning.
type checkpoints []position

// add appends p if it is far enough from the last checkpoint.
func (c *checkpoints) add(p position) {
	if p.offset-c.last().offset >= checkpointInterval {
		*c = append(*c, p)
	}
}

func (c checkpoints) last() position {
	if len(c) == 0 {
		return position{}
	}
	return c[len(c)-1]
}

// lastBefore returns the last checkpoint before record number from.
func (c checkpoints) lastBefore(from uint64) position {
	n := sort.Search(len(c), func(i int) bool { return c[i].seq >= from })
	return c[:n].last()
}
