package file

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// A shelf is the index within one transaction.
type shelf struct {
	ctx       context.Context
	tx        *sql.Tx
	root      string    // of the store
	put, drop *sql.Stmt // nil until needed
}

// keep enters a session, or its new state.
func (sh *shelf) keep(sum journal.Summary) error {
	text, err := json.Marshal(sum, json.Deterministic(true))
	if err != nil {
		return err
	}
	if sh.put == nil {
		// Not INSERT OR REPLACE: what it replaces it deletes without the trigger.
		sh.put, err = sh.tx.PrepareContext(sh.ctx, `INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
			updated = excluded.updated, workspace = excluded.workspace, archived = excluded.archived, words = excluded.words, summary = excluded.summary`)
		if err != nil {
			return err
		}
	}
	_, err = sh.put.ExecContext(sh.ctx, string(sum.ID), sortKey(sum.Updated), sum.Workspace, sum.Archived, wordsOf(sum), string(text))
	return err
}

// forget removes a session.
func (sh *shelf) forget(id event.SessionID) (err error) {
	if sh.drop == nil {
		sh.drop, err = sh.tx.PrepareContext(sh.ctx, `DELETE FROM sessions WHERE id = ?`)
		if err != nil {
			return err
		}
	}
	_, err = sh.drop.ExecContext(sh.ctx, string(id))
	return err
}

func (sh *shelf) progress() (p progress, err error) {
	err = sh.tx.QueryRowContext(sh.ctx, `SELECT offset, spent FROM recent`).Scan(&p.offset, &p.spent)
	return p, err
}

func (sh *shelf) setProgress(p progress) error {
	_, err := sh.tx.ExecContext(sh.ctx, `UPDATE recent SET offset = ?, spent = ?`, p.offset, p.spent)
	return err
}

// sortKeyLen is the length of every sortKey of the years 0 to 9999, in bytes.
const sortKeyLen = len("2006-01-02T15:04:05.000000000Z")

// sortKey is a time as a text that sorts like it.
func sortKey(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000000Z") }

// wordsOf is what a search for a session looks into.
func wordsOf(sum journal.Summary) string {
	return strings.ToLower(sum.Name + "\n" + sum.Title + "\n" + string(sum.ID))
}
