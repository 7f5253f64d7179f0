package stream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

const (
	chunkSize = 512 << 10 // bytes
	maxBlob   = 128 << 20 // of a blob, in bytes
)

// The headers of chunk 0. It is published last: without it there is no blob.
const (
	headerSize   = "Parley-Size"
	headerChunks = "Parley-Chunks"
)

// A ChunkSubject returns the subject of a chunk of the blob with a content address: 0, 1, 2 ….
type ChunkSubject func(address string, number int) string

// A BlobError reports a blob that is not what was stored.
type BlobError struct {
	Subject string // of its first chunk
	Reason  string
}

func (e *BlobError) Error() string { return fmt.Sprintf("%s is damaged: %s", e.Subject, e.Reason) }

// PutBlob publishes the chunks of a blob, unless it is stored, and returns its address. Chunks are named by
// their content, so one that another process has stored is the same.
func PutBlob(ctx context.Context, srv Server, subject ChunkSubject, data []byte) (address string, err error) {
	if len(data) > maxBlob {
		return "", fmt.Errorf("it has %d bytes; at most %d are possible", len(data), maxBlob)
	}
	sum := sha256.Sum256(data)
	address = hex.EncodeToString(sum[:])
	chunks := max(1, (len(data)+chunkSize-1)/chunkSize)
	for n := chunks - 1; n >= 0; n-- {
		m := &Message{
			Subject: subject(address, n),
			Header:  map[string]string{headerSize: strconv.Itoa(len(data)), headerChunks: strconv.Itoa(chunks)},
			Data:    data[min(n*chunkSize, len(data)):min((n+1)*chunkSize, len(data))],
		}
		if err := putChunk(ctx, srv, m); err != nil {
			return "", err
		}
	}
	return address, nil
}

// putChunk publishes one chunk until it is stored. A message that is there already is the same one.
func putChunk(ctx context.Context, srv Server, m *Message) error {
	var retry Backoff
	for {
		_, err := PublishOnce(ctx, srv, m, 0)
		if err == nil || errors.Is(err, ErrSequence) {
			return nil
		}
		if _, refused := errors.AsType[*RefusedError](err); refused {
			return err
		}
		if err := retry.Wait(ctx, MaxPause); err != nil {
			return err
		}
	}
}

// GetBlob reads a blob. Errors: fs.ErrNotExist, *BlobError.
func GetBlob(ctx context.Context, srv Server, subject ChunkSubject, address string) ([]byte, error) {
	damage := func(reason string) error { return &BlobError{subject(address, 0), reason} }
	first, err := LastOnce(ctx, srv, subject(address, 0))
	if err != nil {
		return nil, err
	}
	if first.Seq == 0 {
		return nil, fs.ErrNotExist
	}
	chunks, err := strconv.Atoi(first.Header[headerChunks])
	if err != nil || chunks < 1 || chunks > maxBlob/chunkSize {
		return nil, damage("the number of chunks is wrong")
	}
	data := slices.Clip(first.Data)
	for n := 1; n < chunks; n++ {
		m, err := LastOnce(ctx, srv, subject(address, n))
		if err != nil {
			return nil, err
		}
		if m.Seq == 0 {
			return nil, damage("chunks are missing")
		}
		data = append(data, m.Data...)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != address {
		return nil, damage("the content does not match the address")
	}
	return data, nil
}

// ValidAddress reports whether a text is the address of a blob.
func ValidAddress(address string) bool {
	return len(address) == 2*sha256.Size && strings.Trim(address, "0123456789abcdef") == ""
}
