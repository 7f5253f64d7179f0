package stream

import (
	"context"
	"errors"
	"time"
)

const (
	// AnswerTimeout is how long one call of the server may take before its outcome counts as unknown.
	AnswerTimeout = 5 * time.Second
	// StalePatience is how long a leader may answer from the past: longer than an election.
	StalePatience = 15 * time.Second
	maxRetryDelay = 50 * time.Millisecond
	// MaxPause is the longest pause between attempts while the server cannot be reached.
	MaxPause = 500 * time.Millisecond
)

// ErrTaken reports that another message is at the place of a message that was submitted.
var ErrTaken = errors.New("another process was faster")

// An Outcome is how a submission ended.
type Outcome string

// The outcomes. All but the last three mean that the message is stored.
const (
	Acked    Outcome = "ack"      // the first attempt was acknowledged
	Retried  Outcome = "retry"    // a later attempt was
	Resolved Outcome = "resolved" // no answer came, and the message was found
	Taken    Outcome = "lost"     // ErrTaken
	Refused  Outcome = "refused"  // *RefusedError
	Unknown  Outcome = "unknown"  // ctx has ended, or *PermissionError
)

// A Predecessor is the last message of a subject, after which another one is to be stored.
type Predecessor struct {
	Seq uint64 // 0: the subject has no message
	// Same recognizes the message; nil: its sequence is enough. Servers that were restored from a copy give the
	// sequences after it again, so a message of another process can have the same one.
	Same func(*Message) bool
	// Interruptions is what Server.Interruptions returned before the message was found or stored.
	Interruptions uint64
}

// isReplacedBy reports whether a message with the sequence of the predecessor is another one.
func (p Predecessor) isReplacedBy(found *Message) bool {
	return p.Seq > 0 && p.Same != nil && found.Seq == p.Seq && !p.Same(found)
}

// mustCheck reports whether the predecessor may be another message since the connection was interrupted.
func (p Predecessor) mustCheck(srv Server) bool {
	return p.Seq > 0 && p.Same != nil && p.Interruptions != srv.Interruptions()
}

// Submit publishes m after its predecessor, and returns its sequence. It returns when the outcome is known: m is
// stored, which same recognizes; another message is in its place, or the predecessor is gone (ErrTaken); or the
// server refuses it and it is not stored (*RefusedError). Only if ctx ends, or the user must not read the subject
// (*PermissionError), the outcome is unknown.
func Submit(ctx context.Context, srv Server, m *Message, after Predecessor, same func(*Message) bool) (uint64, Outcome, error) {
	s := submission{srv: srv, after: after, same: same}
	if after.mustCheck(srv) {
		if seq, outcome, err := s.resolve(ctx, m.Subject); outcome != open {
			return seq, outcome, err
		}
	}
	for acknowledged := Acked; ; acknowledged = Retried {
		seq, err := PublishOnce(ctx, srv, m, after.Seq)
		if err == nil {
			return seq, acknowledged, nil
		}
		if errors.Is(err, ErrNotApplied) {
			if err := s.retry.Wait(ctx, maxRetryDelay); err != nil {
				return 0, Unknown, err
			}
			continue
		}
		if _, refused := errors.AsType[*RefusedError](err); refused {
			return 0, Refused, err
		}
		if seq, outcome, err := s.resolve(ctx, m.Subject); outcome != open {
			return seq, outcome, err
		}
		if err := s.pause.Wait(ctx, MaxPause); err != nil {
			return 0, Unknown, err
		}
	}
}

// A submission is a message whose outcome is not known yet.
type submission struct {
	srv          Server
	after        Predecessor
	same         func(*Message) bool
	retry, pause Backoff
	past         time.Time // when the leader first answered from the past
}

// open is the outcome while the message is not stored.
const open Outcome = ""

// resolve reads the last message of the subject until it shows the outcome, or that the message is not stored yet (open):
// one on its way may still be, and is the same one. It does not return while the last message is older than the
// predecessor: that is an answer from the past, or the server has lost messages, and another process may get the
// predecessor's sequence then.
func (s *submission) resolve(ctx context.Context, subject string) (uint64, Outcome, error) {
	for {
		found, err := LastOnce(ctx, s.srv, subject)
		_, denied := errors.AsType[*PermissionError](err)
		switch {
		case denied:
			return 0, Unknown, err
		case err != nil: // again
		case s.after.isReplacedBy(found):
			return 0, Taken, ErrTaken
		case found.Seq == s.after.Seq:
			return 0, open, nil
		case found.Seq > s.after.Seq && s.same(found):
			return found.Seq, Resolved, nil
		case found.Seq > s.after.Seq:
			return 0, Taken, ErrTaken
		case s.past.IsZero():
			s.past = time.Now()
		case time.Since(s.past) > StalePatience: // the server has lost messages, or they were removed
			return 0, Taken, ErrTaken
		}
		if err := s.pause.Wait(ctx, MaxPause); err != nil {
			return 0, Unknown, err
		}
	}
}

// PublishOnce is Server.Publish with a time limit.
func PublishOnce(ctx context.Context, srv Server, m *Message, after uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, AnswerTimeout)
	defer cancel()
	return srv.Publish(ctx, m, after)
}

// LastOnce returns the last message of a subject; one with sequence 0 if there is none.
func LastOnce(ctx context.Context, srv Server, subject string) (*Message, error) {
	ctx, cancel := context.WithTimeout(ctx, AnswerTimeout)
	defer cancel()
	m, err := srv.Last(ctx, subject)
	if errors.Is(err, ErrNoMessage) {
		return &Message{}, nil
	}
	return m, err
}

// A Backoff is the delay between attempts: none, 1 ms, 2 ms, 4 ms ….
type Backoff struct{ delay time.Duration }

// Wait waits before the next attempt, for limit at most. It returns the error of ctx.
func (b *Backoff) Wait(ctx context.Context, limit time.Duration) error {
	if b.delay == 0 {
		b.delay = time.Millisecond
		return ctx.Err()
	}
	delay := b.delay
	b.delay = min(2*b.delay, limit)
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
