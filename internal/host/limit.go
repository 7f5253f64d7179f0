package host

import (
	"context"
	"io"
	"os"

	"golang.org/x/time/rate"
)

// Limited returns r, such that no more than Options.BytesPerSecond are read from it, besides those of one second. A
// client that sends more waits: nothing is lost. The end of ctx ends the waiting.
func (h *Host) Limited(ctx context.Context, r io.Reader) io.Reader {
	if h.o.BytesPerSecond == 0 {
		return r
	}
	bucket := rate.NewLimiter(rate.Limit(h.o.BytesPerSecond), h.o.BytesPerSecond)
	if f, ok := r.(*os.File); ok {
		return &limitedFile{f, limited{ctx, f, bucket}}
	}
	return &limited{ctx, r, bucket}
}

// A limited reader waits after it has read.
type limited struct {
	ctx    context.Context
	from   io.Reader
	bucket *rate.Limiter
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.from.Read(p[:min(len(p), l.bucket.Burst())])
	if n > 0 && l.bucket.WaitN(l.ctx, n) != nil && err == nil {
		err = io.EOF
	}
	return n, err
}

// A limitedFile is a file that is read so, and otherwise itself: its end can be noticed before it is read.
type limitedFile struct {
	*os.File
	limited limited
}

// Read implements io.Reader.
func (l *limitedFile) Read(p []byte) (int, error) { return l.limited.Read(p) }
