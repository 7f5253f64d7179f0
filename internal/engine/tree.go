package engine

import (
	"cmp"
	"slices"
)

// A tree is the whole history of a session, of which fold.entries is one path: its nodes are
// the messages, the compactions and the commands of people. It holds their numbers only.
type tree struct {
	head  uint64 // the node that the history ends in; 0: none
	nodes []node // in the order of their records
	moves []node // of the head, by Branched
}

// A node is a record, and the node that the history ended in before it; 0: none. That of a
// move is where it went to.
type node struct{ seq, parent uint64 }

// add is a node behind the head.
func (t *tree) add(seq uint64) {
	t.nodes = append(t.nodes, node{seq, t.head})
	t.head = seq
}

// move sets the head to a node, or 0, as record seq says.
func (t *tree) move(seq, head uint64) {
	t.head = head
	t.moves = append(t.moves, node{seq, t.head})
}

func (t *tree) has(seq uint64) bool {
	i := upTo(t.nodes, seq)
	return i > 0 && t.nodes[i-1].seq == seq
}

// at is the head as it was behind record seq.
func (t *tree) at(seq uint64) uint64 {
	var last node
	if i := upTo(t.nodes, seq); i > 0 {
		last = node{t.nodes[i-1].seq, t.nodes[i-1].seq}
	}
	if i := upTo(t.moves, seq); i > 0 && t.moves[i-1].seq > last.seq {
		last = t.moves[i-1]
	}
	return last.parent
}

// upTo is how many of nodes are not behind record seq.
func upTo(nodes []node, seq uint64) int {
	i, found := slices.BinarySearchFunc(nodes, seq, func(n node, seq uint64) int { return cmp.Compare(n.seq, seq) })
	if found {
		i++
	}
	return i
}

// path is the nodes from the root to seq, which is one, or 0.
func (t *tree) path(seq uint64) []uint64 {
	var path []uint64
	for i := len(t.nodes); seq != 0; seq = t.nodes[i].parent {
		i = upTo(t.nodes[:i], seq) - 1
		path = append(path, seq)
	}
	slices.Reverse(path)
	return path
}

// leads says whether node seq, or 0, is on the path to the head.
func (t *tree) leads(seq uint64) bool {
	at := t.head
	for i := len(t.nodes); at > seq; at = t.nodes[i].parent {
		i = upTo(t.nodes[:i], at) - 1
	}
	return at == seq
}
