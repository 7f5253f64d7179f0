package file

import (
	"sort"

	"parley.dev/parley/internal/journal/chain"
)

// checkpointInterval is the minimum distance between checkpoints, in bytes: a read of one record reads about so much.
const checkpointInterval = 64 << 10

// checkpoints are positions of a verified journal, in order: a reader of the records after one can
// start there instead of at the beginning.
type checkpoints []chain.Position

// add appends p if it is far enough from the last checkpoint.
func (c *checkpoints) add(p chain.Position) {
	if p.Offset-c.last().Offset >= checkpointInterval {
		*c = append(*c, p)
	}
}

func (c checkpoints) last() chain.Position {
	if len(c) == 0 {
		return chain.Position{}
	}
	return c[len(c)-1]
}

// lastBefore returns the last checkpoint before record number from.
func (c checkpoints) lastBefore(from uint64) chain.Position {
	n := sort.Search(len(c), func(i int) bool { return c[i].Seq >= from })
	return c[:n].last()
}
