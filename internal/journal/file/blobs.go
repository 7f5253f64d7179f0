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

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/regular"
)

// PutBlob stores data next to the journal.
func (l *lease) PutBlob(data []byte) (string, error) {
	if err := l.checkUsable(); err != nil {
		return "", err
	}
	if len(data) > maxBlob {
		return "", fmt.Errorf("keep blob of session %s: %w", l.id, &regular.TooLargeError{Limit: maxBlob})
	}
	address := addressOf(data)
	if err := putBlob(filepath.Join(l.folder, blobsName), address, data); err != nil {
		return "", fmt.Errorf("keep blob of session %s: %w", l.id, asNotFound(l.id, err))
	}
	return address, nil
}

// Blob reads a blob of the session.
func (l *lease) Blob(address string) ([]byte, error) {
	return l.store.Blob(context.Background(), l.id, address)
}

// Blob reads a blob of a session. It returns a *DamageError if the content does not match the address.
func (s *Store) Blob(ctx context.Context, id event.SessionID, address string) ([]byte, error) {
	if err := s.checkUsable(ctx); err != nil {
		return nil, err
	}
	folder, err := s.existingFolder(id)
	if err != nil {
		return nil, err
	}
	if len(address) != 2*sha256.Size || strings.Trim(address, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("blob of session %s: %q is not a content address", id, address)
	}
	path := filepath.Join(folder, blobsName, address)
	data, err := readBlob(path)
	if reason := notBlobReason(err); reason != "" {
		return nil, &journal.DamageError{Path: path, Reason: reason}
	}
	if err != nil {
		return nil, fmt.Errorf("blob of session %s: %w", id, err)
	}
	if addressOf(data) != address {
		return nil, &journal.DamageError{Path: path, Reason: "the content does not match the address"}
	}
	return data, nil
}

// maxBlob is the maximum size of a blob, in bytes: an image or the output of a call.
const maxBlob = 64 << 20

// readBlob reads a blob without verifying it. Another program may have created the files: it
// returns an error if the file is not regular or too large.
func readBlob(path string) ([]byte, error) {
	return regular.ReadFileNoFollow(path, maxBlob)
}

// notBlobReason returns why a file that readBlob refused cannot be a blob; "" if err is another error.
func notBlobReason(err error) string {
	for _, bad := range []error{regular.ErrNotRegular, regular.ErrSymlink} {
		if errors.Is(err, bad) {
			return bad.Error()
		}
	}
	if tooLarge, ok := errors.AsType[*regular.TooLargeError](err); ok {
		return tooLarge.Error()
	}
	return ""
}

// putBlob writes a blob unless it exists; it is on disk in both cases.
func putBlob(folder, address string, data []byte) error {
	path := filepath.Join(folder, address)
	if kept, err := readBlob(path); err == nil && addressOf(kept) == address {
		return nil
	}
	// Not makeFolder: a session that was deleted must not reappear as a folder of blobs.
	err := os.Mkdir(folder, folderMode)
	if err == nil {
		err = syncFolder(filepath.Dir(folder))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := atomicfile.WriteFile(path, data, fileMode); err != nil {
		return err
	}
	return syncFolder(folder)
}

func addressOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
