//go:build linux

package store

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal/chain"
)

// A stored is a frame of a session as the leader of the stream has it.
type stored struct {
	published
	expects string // the sequence that its publisher expected; "": none
	first   uint64
	head    uint64
	tokens  []string // of its records
	at      time.Time
}

// A content is all frames of a session, and what is wrong with them as such.
type content struct {
	frames []stored
	found  []string
}

// readContent reads the frames of a session from the leader of its stream. It shares only the format of lines
// with the driver.
func readContent(t testing.TB, js jetstream.JetStream, namespace, session string) content {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stage.Patience)
	defer cancel()
	var c content
	var stream jetstream.Stream
	err := retry(ctx, func(ctx context.Context) (err error) {
		stream, err = js.Stream(ctx, namespace+"_j_00")
		return err
	})
	if err != nil {
		unread(t, session, err)
	}
	r := contentReader{content: &c, blobs: func(address string) ([]byte, error) { return readBlob(ctx, js, namespace, session, address) }}
	subject := namespace + ".j.00." + session
	for seq := uint64(1); ; {
		m, err := getMessage(ctx, stream, seq, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return c
		}
		if err != nil {
			unread(t, session, err)
		}
		r.add(m)
		seq = m.Sequence + 1
	}
}

// getMessage gets a message of a stream, again while the cluster elects a leader.
func getMessage(ctx context.Context, stream jetstream.Stream, seq uint64, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = retry(ctx, func(ctx context.Context) error {
		m, err = stream.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(subject))
		return err
	})
	return m, err
}

// unread ends a test that cannot read the frames of a session. If no server has answered for stage.Patience, as when three
// servers on a busy machine elect no leader, there is nothing to judge, and it is skipped.
func unread(t testing.TB, session string, err error) {
	t.Helper()
	if errors.Is(err, context.DeadlineExceeded) {
		t.Skipf("inconclusive: the servers have not returned the frames of %s for %v", session, stage.Patience)
	}
	t.Fatalf("read the frames of %s: %v", session, err)
}

// retry calls a function until it succeeds or finds no message, or ctx ends.
func retry(ctx context.Context, call func(context.Context) error) error {
	for {
		once, cancel := context.WithTimeout(ctx, 2*time.Second)
		err := call(once)
		cancel()
		if err == nil || errors.Is(err, jetstream.ErrMsgNotFound) || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(pollInterval):
		case <-ctx.Done():
		}
	}
}

func readBlob(ctx context.Context, js jetstream.JetStream, namespace, session, address string) (data []byte, err error) {
	stream, err := js.Stream(ctx, namespace+"_b_00")
	if err != nil {
		return nil, err
	}
	for n, chunks := 0, 1; n < chunks; n++ {
		m, err := stream.GetLastMsgForSubject(ctx, fmt.Sprintf("%s.b.00.%s.%s.%d", namespace, session, address, n))
		if err != nil {
			return nil, err
		}
		if n == 0 {
			if chunks, err = strconv.Atoi(m.Header.Get("Parley-Chunks")); err != nil {
				return nil, err
			}
		}
		data = append(data, m.Data...)
	}
	return data, nil
}

// A contentReader checks frames one after the other.
type contentReader struct {
	*content
	blobs  func(address string) ([]byte, error)
	at     chain.Position
	hasher chain.Hasher
}

func (r *contentReader) fail(format string, args ...any) {
	r.found = append(r.found, fmt.Sprintf(format, args...))
}

func (r *contentReader) add(m *jetstream.RawStreamMsg) {
	number := func(name string) uint64 {
		n, err := strconv.ParseUint(m.Header.Get(name), 10, 64)
		if err != nil {
			r.fail("frame %d: header %s: %v", m.Sequence, name, err)
		}
		return n
	}
	f := stored{
		published: published{
			Kind: m.Header.Get("Parley-Kind"), ID: m.Header.Get("Parley-Frame"), Owner: m.Header.Get("Parley-Owner"),
			Epoch: number("Parley-Epoch"), Sequence: m.Sequence,
		},
		expects: m.Header.Get(nats.ExpectedLastSubjSeqHdr), first: number("Parley-First"), head: number("Parley-Head"), at: m.Time,
	}
	if f.first != r.at.Seq+1 {
		r.fail("frame %d begins at record %d, after record %d", f.Sequence, f.first, r.at.Seq)
	}
	lines := m.Data
	if body := m.Header.Get("Parley-Body"); body != "" {
		address, _, _ := strings.Cut(body, " ")
		data, err := r.blobs(address)
		if err != nil {
			r.fail("frame %d: blob %s: %v", f.Sequence, address, err)
		}
		lines = data
	}
	for line := range bytes.Lines(lines) {
		f.tokens = append(f.tokens, r.line(f.Sequence, bytes.TrimSuffix(line, []byte{'\n'})))
	}
	if f.head != r.at.Seq || m.Header.Get("Parley-Hash") != hex.EncodeToString(r.at.Sum[:]) {
		r.fail("frame %d names record %d as its last, its last is %d, or the hash is wrong", f.Sequence, f.head, r.at.Seq)
	}
	r.frames = append(r.frames, f)
}

// line checks a line and returns its token.
func (r *contentReader) line(frame uint64, line []byte) string {
	sum, wrong := r.hasher.Check(line, r.at)
	if wrong != "" {
		r.fail("frame %d, record %d: %s", frame, r.at.Seq+1, wrong)
	}
	r.at = r.at.Next(len(line)+1, sum)
	var rec event.Record
	if err := rec.UnmarshalJSON(line); err != nil {
		r.fail("frame %d, record %d: %v", frame, r.at.Seq, err)
		return ""
	}
	return tokenOfRecord(rec)
}
