package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"parley.dev/parley/internal/event"
)

// copyBlobs copies the blobs that a record names and that the target does not have.
func (t *task) copyBlobs(ctx context.Context, rec event.Record) error {
	for address := range addresses(lineOf(rec)) {
		if t.seen[address] {
			continue
		}
		t.seen[address] = true
		if _, err := t.target.Blob(address); err == nil {
			continue
		}
		data, err := t.From.Blob(ctx, t.id, address)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a text that looks like an address
		}
		if err != nil {
			return fmt.Errorf("source: %w", err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != address {
			return fmt.Errorf("source: the content of blob %s does not match its address", address)
		}
		if _, err := t.target.PutBlob(data); err != nil {
			return fmt.Errorf("target: %w", err)
		}
		t.result.Blobs++
		t.result.Bytes += int64(len(data))
	}
	return nil
}

// addressSize is the length of the address of a blob: a SHA-256 in hexadecimal digits.
const addressSize = 2 * sha256.Size

// addresses yields the texts in a line that can be addresses of blobs.
func addresses(line []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i := 0; i <= len(line); i++ {
			if i < len(line) && isDigit(line[i]) {
				continue
			}
			if i-start == addressSize && !yield(string(line[start:i])) {
				return
			}
			start = i + 1
		}
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
