package html

import (
	"cmp"
	"slices"
)

// A tree is the positions of messages in the history: each follows another. The path to the last
// one is the present history; all other messages are on abandoned branches.
type tree struct {
	head  uint64 // the message that the history ends in; 0: none
	nodes []node // in the order of their records
	moves []node // of the head, by record
}

// A node is a record and its parent, the previous message; of a move it is the new head.
type node struct{ seq, before uint64 }

func (t *tree) add(seq uint64) {
	t.nodes = append(t.nodes, node{seq, t.head})
	t.head = seq
}

// move sets the head to what it was after record to.
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

// until returns how many of nodes are at or before record seq.
func until(nodes []node, seq uint64) int {
	i, found := slices.BinarySearchFunc(nodes, seq, func(n node, seq uint64) int { return cmp.Compare(n.seq, seq) })
	if found {
		i++
	}
	return i
}

// path returns the messages on the path to the head.
func (t *tree) path() map[uint64]bool {
	path := map[uint64]bool{}
	for i, seq := len(t.nodes), t.head; seq != 0; seq = t.nodes[i].before {
		i = until(t.nodes[:i], seq) - 1
		path[seq] = true
	}
	return path
}

// left returns the abandoned branches: the number of messages in each, by its first message.
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
