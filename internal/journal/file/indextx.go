package file

import (
	"context"
	"database/sql"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// An indexTx is the index within one transaction.
type indexTx struct {
	ctx                 context.Context
	tx                  *sql.Tx
	root                string    // of the store
	putStmt, removeStmt *sql.Stmt // nil until needed
}

// put inserts or updates a session.
func (t *indexTx) put(sum journal.Summary) error {
	text, err := json.Marshal(sum, json.Deterministic(true))
	if err != nil {
		return err
	}
	if t.putStmt == nil {
		// Not INSERT OR REPLACE, which deletes the replaced row without firing the trigger.
		t.putStmt, err = t.tx.PrepareContext(t.ctx, `INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
			updated = excluded.updated, created = excluded.created, workspace = excluded.workspace, archived = excluded.archived, begun = excluded.begun, words = excluded.words, summary = excluded.summary`)
		if err != nil {
			return err
		}
	}
	_, err = t.putStmt.ExecContext(t.ctx, string(sum.ID), journal.SortKey(sum.Updated), journal.SortKey(sum.Created), sum.Workspace, sum.Archived, sum.Turns > 0, journal.SearchText(sum), string(text))
	return err
}

// remove deletes a session.
func (t *indexTx) remove(id event.SessionID) (err error) {
	if t.removeStmt == nil {
		t.removeStmt, err = t.tx.PrepareContext(t.ctx, `DELETE FROM sessions WHERE id = ?`)
		if err != nil {
			return err
		}
	}
	_, err = t.removeStmt.ExecContext(t.ctx, string(id))
	return err
}

func (t *indexTx) progress() (p ingestProgress, err error) {
	err = t.tx.QueryRowContext(t.ctx, `SELECT offset, spent FROM recent`).Scan(&p.offset, &p.retiredIngested)
	return p, err
}

func (t *indexTx) setProgress(p ingestProgress) error {
	_, err := t.tx.ExecContext(t.ctx, `UPDATE recent SET offset = ?, spent = ?`, p.offset, p.retiredIngested)
	return err
}
