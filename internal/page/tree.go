package page

import (
	"cmp"
	"slices"
)

// A tree is where each message stands in the history: behind another. What the last of them
// leads back to is what the session is now; all else was left behind.
type tree struct {
	head  uint64 // the message that the history ends in; 0: none
	nodes []node // in the order of their records
	moves []node // of the head, by record
}

// A node is a record, and the message before it; that of a move is where it went to.
type node struct{ seq, before uint64 }

func (t *tree) add(seq uint64) {
	t.nodes = append(t.nodes, node{seq, t.head})
	t.head = seq
}

// move sets the head to what it was behind record to.
func (t *tree) move(seq, to uint64) {
	t.head = t.headAt(to)
	t.moves = append(t.moves, node{seq, t.head})
}

func (t *tree) headAt(seq uint64) uint64 {
	var message, move node
	if i := until(t.nodes, seq); i > 0 {
		message = t.nodes[i-1]
	}
	if i := until(t.moves, seq); i > 0 {
		move = t.moves[i-1]
	}
	if move.seq > message.seq {
		return move.before
	}
	return message.seq
}

// until is how many of nodes are not behind record seq.
func until(nodes []node, seq uint64) int {
	i, found := slices.BinarySearchFunc(nodes, seq, func(n node, seq uint64) int { return cmp.Compare(n.seq, seq) })
	if found {
		i++
	}
	return i
}

// path is the messages that lead to the head.
func (t *tree) path() map[uint64]bool {
	path := map[uint64]bool{}
	for i, seq := len(t.nodes), t.head; seq != 0; seq = t.nodes[i].before {
		i = until(t.nodes[:i], seq) - 1
		path[seq] = true
	}
	return path
}

// left is the runs of messages that are not on the path: the number of messages of each, by
// its first.
func (t *tree) left(path map[uint64]bool) map[uint64]int {
	runs, first := map[uint64]int{}, uint64(0)
	for _, n := range t.nodes {
		switch {
		case path[n.seq]:
			first = 0
			continue
		case first == 0:
			first = n.seq
		}
		runs[first]++
	}
	return runs
}
