package session

import (
	"cmp"
	"slices"
)

// A tree is the whole history of a session, of which Fold.Entries is one path: its nodes are the messages,
// the compactions and the commands of the user. It has only the numbers of their records.
type tree struct {
	head  uint64 // the node that the history ends in; 0: none
	nodes []node // in the order of their records
	moves []node // of the head, by Branched
}

// A node is a record, and the node that the history ended in before it; 0: none. That of a
// move is where it went to.
type node struct{ seq, parent uint64 }

// add adds a node after the head, and moves the head to it.
func (t *tree) add(seq uint64) {
	t.nodes = append(t.nodes, node{seq, t.head})
	t.head = seq
}

// move sets the head to a node, or 0, by the record seq.
func (t *tree) move(seq, head uint64) {
	t.head = head
	t.moves = append(t.moves, node{seq, t.head})
}

func (t *tree) has(seq uint64) bool {
	i := upTo(t.nodes, seq)
	return i > 0 && t.nodes[i-1].seq == seq
}

// at returns the head as it was after record seq.
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

// upTo returns how many of nodes are not after record seq.
func upTo(nodes []node, seq uint64) int {
	i, found := slices.BinarySearchFunc(nodes, seq, func(n node, seq uint64) int { return cmp.Compare(n.seq, seq) })
	if found {
		i++
	}
	return i
}

// path returns the nodes from the root to seq, which is a node, or 0.
func (t *tree) path(seq uint64) []uint64 {
	var path []uint64
	for i := len(t.nodes); seq != 0; seq = t.nodes[i].parent {
		i = upTo(t.nodes[:i], seq) - 1
		path = append(path, seq)
	}
	slices.Reverse(path)
	return path
}

// leads reports whether node seq, or 0, is on the path to the head.
func (t *tree) leads(seq uint64) bool {
	at := t.head
	for i := len(t.nodes); at > seq; at = t.nodes[i].parent {
		i = upTo(t.nodes[:i], at) - 1
	}
	return at == seq
}

// HasNode reports whether the record seq is a node of the history's tree: a message, a compaction or a
// command of the user.
func (f *Fold) HasNode(seq uint64) bool { return f.tree.has(seq) }
