package tool

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"sync"
)

// KnownFiles are the contents of files that the model of a session has read or written. A nil
// KnownFiles takes everything for known. It is safe for use by several goroutines.
type KnownFiles struct {
	mu    sync.Mutex
	files map[string]fingerprint // by real path
}

// maxKnown is how many files a KnownFiles holds.
const maxKnown = 4096

// Errors of a write to a file that holds what the model does not know.
var (
	errNeverRead = errors.New("you have not read this file in this session; read it first, or edit a part of it")
	errStale     = errors.New("it has changed since you read it; read it again")
)

// check returns an error unless the model knows the content of old. A file that does not exist or is empty is known.
func (k *KnownFiles) check(path string, old original) error {
	if k == nil || !old.exists || len(old.data) == 0 && !old.huge {
		return nil
	}
	k.mu.Lock()
	known, ok := k.files[path]
	k.mu.Unlock()
	switch {
	case !ok:
		return errNeverRead
	case known != old.fingerprint():
		return errStale
	}
	return nil
}

// set notes that the model knows the content with that fingerprint.
func (k *KnownFiles) set(path string, content fingerprint) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.files == nil {
		k.files = map[string]fingerprint{}
	}
	if _, ok := k.files[path]; !ok && len(k.files) >= maxKnown {
		for other := range k.files {
			delete(k.files, other) // any: its next write asks for a read
			break
		}
	}
	k.files[path] = content
}

// changed notes that the model replaced parts of old, with the result data. What it did not know
// of the file before, it does not know afterwards.
func (k *KnownFiles) changed(path string, old original, data []byte) {
	if k.check(path, old) == nil {
		k.set(path, original{data: data, exists: true}.fingerprint())
	}
}

// A fingerprintReader computes the fingerprint of a file while it is read.
type fingerprintReader struct {
	in   io.Reader
	hash hash.Hash
	size int64
}

func newFingerprintReader(in io.Reader) *fingerprintReader {
	return &fingerprintReader{in: in, hash: sha256.New()}
}

func (r *fingerprintReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if r.size += int64(n); r.size <= maxKept {
		r.hash.Write(p[:n])
	}
	return n, err
}

// rest reads the file to its end, or until it is known to be huge, and returns its fingerprint.
func (r *fingerprintReader) rest() (fingerprint, error) {
	if _, err := io.CopyN(io.Discard, r, max(0, maxKept+1-r.size)); err != nil && err != io.EOF {
		return fingerprint{}, err
	}
	if r.size > maxKept {
		return original{exists: true, huge: true}.fingerprint(), nil
	}
	f := fingerprint{exists: true}
	r.hash.Sum(f.sum[:0])
	return f, nil
}
