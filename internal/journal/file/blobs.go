package file

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// PutBlob keeps data beside the journal.
func (l *lease) PutBlob(data []byte) (string, error) {
	if l.isClosed() {
		return "", journal.ErrClosed
	}
	address := addressOf(data)
	if err := putBlob(filepath.Join(l.folder, blobsName), address, data); err != nil {
		return "", fmt.Errorf("keep blob of session %s: %w", l.id, missing(l.id, err))
	}
	return address, nil
}

// Blob reads a blob back.
func (l *lease) Blob(address string) ([]byte, error) {
	return l.store.Blob(context.Background(), l.id, address)
}

// Blob reads a blob of a session. A *DamageError if it is not what was kept.
func (s *Store) Blob(ctx context.Context, id event.SessionID, address string) ([]byte, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	folder, err := s.find(id)
	if err != nil {
		return nil, err
	}
	if len(address) != 2*sha256.Size || strings.Trim(address, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("blob of session %s: %q is not a content address", id, address)
	}
	path := filepath.Join(folder, blobsName, address)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("blob of session %s: %w", id, err)
	}
	if addressOf(data) != address {
		return nil, &journal.DamageError{Path: path, Reason: "the content does not match the address"}
	}
	return data, nil
}

// putBlob writes a blob unless it is there already, on disk either way.
func putBlob(folder, address string, data []byte) error {
	path := filepath.Join(folder, address)
	if kept, err := os.ReadFile(path); err == nil && addressOf(kept) == address {
		return nil
	}
	// Not makeFolder: a session that was deleted must not come back as a heap of blobs.
	err := os.Mkdir(folder, folderMode)
	if err == nil {
		err = syncFolder(filepath.Dir(folder))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := renameio.WriteFile(path, data, fileMode, renameio.WithTempDir(folder)); err != nil {
		return err
	}
	return syncFolder(folder)
}

func addressOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
