package file

import (
	"context"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// An indexTx is a change of the index. It is in memory until index.write.
type indexTx struct {
	ctx        context.Context
	root       string // of the store
	rebuilding func(done, total int)
	canWrite   bool // the index is locked, and can be written as far as is known

	table   *table
	rewrite bool   // the file is to be replaced: it does not have all that the table had at first
	lines   []byte // to be appended, unless the file is replaced
}

// changed reports whether the table has something that the file has not.
func (t *indexTx) changed() bool { return t.rewrite || len(t.lines) > 0 }

// put inserts or updates a session.
func (t *indexTx) put(sum journal.Summary) {
	t.append(func(b []byte) []byte { return appendSummary(b, sum) })
	t.table.put(&sum)
}

// remove deletes a session.
func (t *indexTx) remove(id event.SessionID) {
	t.append(func(b []byte) []byte { return appendRemoval(b, id) })
	t.table.remove(id)
}

// setProgress completes the change.
func (t *indexTx) setProgress(p ingestProgress) {
	t.append(func(b []byte) []byte { return appendProgress(b, p) })
	t.table.progress, t.table.complete = p, true
}

func (t *indexTx) append(add func([]byte) []byte) {
	if !t.rewrite {
		t.lines = t.table.appendLine(t.lines, add)
	}
}
