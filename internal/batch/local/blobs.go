package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"parley.dev/parley/internal/batch"
)

// PutBlob implements batch.Blobs.
func (s *Store) PutBlob(ctx context.Context, id string, data []byte) (string, error) {
	address := batch.Address(data)
	return address, s.write(ctx, s.synced, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO blobs VALUES (?, ?, ?)`, id, address, data)
		return err
	})
}

// Blob implements batch.Blobs.
func (s *Store) Blob(ctx context.Context, id, address string) (data []byte, err error) {
	if err := s.checkUsable(ctx); err != nil {
		return nil, err
	}
	err = s.synced.QueryRowContext(ctx, `SELECT data FROM blobs WHERE batch = ? AND address = ?`, id, address).Scan(&data)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("%w: %s of batch %s", batch.ErrNoBlob, address, id)
	case err != nil:
		return nil, s.asClosed(err)
	case batch.Address(data) != address:
		return nil, fmt.Errorf("the blob %s of batch %s is damaged", address, id)
	}
	return data, nil
}
