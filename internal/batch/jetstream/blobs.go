package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/stream"
)

// PutBlob implements batch.Blobs.
func (s *Store) PutBlob(ctx context.Context, id string, data []byte) (string, error) {
	c, err := s.begin(ctx)
	if err != nil {
		return "", err
	}
	defer c.end()
	if !token.Get().MatchString(id) {
		return "", fmt.Errorf("%q is no batch", id)
	}
	address, err := stream.PutBlob(c, c.link, chunks(c, id), data)
	if err != nil {
		return "", fmt.Errorf("store a blob of batch %s: %w", id, s.asClosed(err))
	}
	return address, nil
}

// Blob implements batch.Blobs.
func (s *Store) Blob(ctx context.Context, id, address string) ([]byte, error) {
	c, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer c.end()
	if !token.Get().MatchString(id) || !stream.ValidAddress(address) {
		return nil, fmt.Errorf("%w: %q of batch %q", batch.ErrNoBlob, address, id)
	}
	data, err := stream.GetBlob(c, c.link, chunks(c, id), address)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s of batch %s", batch.ErrNoBlob, address, id)
	}
	if err != nil {
		return nil, fmt.Errorf("read blob %s of batch %s: %w", address, id, s.asClosed(err))
	}
	return data, nil
}

func chunks(c *call, id string) stream.ChunkSubject {
	return func(address string, number int) string { return c.link.Namespace.BatchChunk(id, address, number) }
}
