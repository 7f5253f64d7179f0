package jetstream

import (
	"context"
	"errors"
	"fmt"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
)

// PutBlob stores data next to the journal.
func (l *lease) PutBlob(data []byte) (string, error) {
	if err := l.checkUsable(); err != nil {
		return "", err
	}
	link := l.store.member.Current()
	if link == nil {
		return "", journal.ErrClosed
	}
	address, err := putBlob(l.store.life, link, l.id, data)
	if err != nil {
		return "", fmt.Errorf("store blob of session %s: %w", l.id, l.store.asClosed(err))
	}
	return address, nil
}

// Blob reads a blob of the session.
func (l *lease) Blob(address string) ([]byte, error) {
	return l.store.Blob(l.store.life, l.id, address)
}

// Blob reads a blob of a session. It returns a *DamageError if the content does not match the address.
func (s *Store) Blob(ctx context.Context, id event.SessionID, address string) ([]byte, error) {
	link, _, err := s.ownerOf(ctx, id)
	if err != nil {
		return nil, err
	}
	if !stream.ValidAddress(address) {
		return nil, fmt.Errorf("blob of session %s: %q is not a content address", id, address)
	}
	data, err := getBlob(ctx, link, id, address)
	if err != nil {
		return nil, fmt.Errorf("blob of session %s: %w", id, s.asClosed(err))
	}
	return data, nil
}

func putBlob(ctx context.Context, link *cluster.Link, id event.SessionID, data []byte) (string, error) {
	return stream.PutBlob(ctx, link, chunks(link, id), data)
}

// getBlob reads a blob. Errors: fs.ErrNotExist, *journal.DamageError.
func getBlob(ctx context.Context, link *cluster.Link, id event.SessionID, address string) ([]byte, error) {
	data, err := stream.GetBlob(ctx, link, chunks(link, id), address)
	if damage, ok := errors.AsType[*stream.BlobError](err); ok {
		return nil, &journal.DamageError{Path: damage.Subject, Reason: damage.Reason}
	}
	return data, err
}

// chunks returns the subjects of the blobs of a session.
func chunks(link *cluster.Link, id event.SessionID) stream.ChunkSubject {
	return func(address string, number int) string { return link.Namespace.Chunk(id, address, number) }
}
