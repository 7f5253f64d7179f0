package stream

import (
	"context"
	"errors"
	"math"
	"time"
)

// A Server is what fenced logs need of JetStream: six calls. Package streamtest simulates them.
type Server interface {
	// Publish stores m as the last message of its subject, if the sequence of the last one there is after; 0:
	// there is none. Errors: ErrSequence, ErrNotApplied, *RefusedError. After any other error it is unknown
	// whether m is stored, or will be.
	Publish(ctx context.Context, m *Message, after uint64) (seq uint64, err error)
	// Last returns the last message of a subject, as the leader of the stream has it, or ErrNoMessage. A
	// leader that was deposed may answer from the past.
	Last(ctx context.Context, subject string) (*Message, error)
	// Read calls each with the messages of a subject whose sequences are from to to, in order. It ends
	// before to only if there is no such message any more, or with the error of each.
	Read(ctx context.Context, subject string, from, to uint64, each func(*Message) error) error
	// Purge removes the messages of a subject up to a sequence.
	Purge(ctx context.Context, subject string, to uint64) error
	// Request sends a request to a process and returns its answer. Errors: ErrNoResponder.
	Request(ctx context.Context, subject string, data []byte) ([]byte, error)
	// Interruptions returns how often the connection was interrupted. Servers can only be replaced by a copy of
	// their past in between.
	Interruptions() uint64
}

// A Feed is the part of NATS that delivers without storing.
type Feed interface {
	// Subscribe calls received with the messages that are published to a subject, from now on, whether they are stored or not.
	Subscribe(subject string, received func(*Message)) (unsubscribe func(), err error)
	// Serve answers the requests to a subject.
	Serve(subject string, answer func([]byte) []byte) error
	// Send sends data to those that receive the messages of a subject now. It is not stored, and can be lost.
	Send(subject string, data []byte) error
	// Receive calls received with what is sent to a subject from now on, one after the other.
	Receive(subject string, received func(data []byte)) (stop func(), err error)
}

// AnySequence makes Publish store a message whatever is stored before it.
const AnySequence uint64 = math.MaxUint64

// A Message is a message of a stream.
type Message struct {
	Subject string
	Seq     uint64    // of the stream; 0: it is not stored yet
	Time    time.Time // when it was stored, by the clock of the server
	Header  map[string]string
	Data    []byte
	TTL     time.Duration // after which the server removes it; 0: never
}

// The header of the message that deletes the entry of a bucket. When that of a purge expires nothing takes its place; after that of
// a deletion the server stores a message of its own.
const (
	HeaderOperation = "KV-Operation"
	OperationDelete = "DEL"
	OperationPurge  = "PURGE"
)

// Deletion returns the message that deletes an entry of a bucket.
func Deletion(subject string) *Message {
	return &Message{Subject: subject, Header: map[string]string{HeaderOperation: OperationDelete}}
}

var (
	ErrNoMessage   = errors.New("no message on the subject")
	ErrNoResponder = errors.New("the host does not answer")
	// ErrNoStream reports that the namespace lacks a stream.
	ErrNoStream = errors.New("the stream does not exist")
	// ErrSequence is code 10071 of JetStream: another message than the expected one is the last.
	ErrSequence = errors.New("wrong last sequence")
	// ErrNotApplied is code 10164: the message before is still being applied. It is no answer to which writer
	// was faster: the same message again succeeds.
	ErrNotApplied = errors.New("the message before is not applied yet")
)

// A RefusedError reports that the server has refused a message and did not store it.
type RefusedError struct{ err error }

func (e *RefusedError) Error() string { return "the store refuses the record: " + e.err.Error() }
func (e *RefusedError) Unwrap() error { return e.err }
