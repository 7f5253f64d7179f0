//go:build linux

package store

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"parley.dev/parley/internal/stream"
)

// The mistakes of mutants.
const (
	noExpectation   = "no-expectation"   // appends do not name the frame before
	refusalIsAck    = "refusal-is-ack"   // code 10071 counts as success
	directGet       = "direct-get"       // a replica that is late answers for the last frame
	reconnectBuffer = "reconnect-buffer" // what cannot be sent is sent later
)

// mutate returns a server with a mistake.
func mutate(s stream.Server, mutant string, address stream.Address, log func(entry)) (stream.Server, error) {
	switch mutant {
	case noExpectation:
		return withoutExpectation{s}, nil
	case refusalIsAck:
		return acceptedRefusal{s}, nil
	case directGet:
		return &lateReplica{Server: s, last: map[string]*stream.Message{}}, nil
	case reconnectBuffer:
		conn, err := nats.Connect(address.Servers[0], nats.MaxReconnects(-1), nats.ReconnectWait(pollInterval),
			nats.DisconnectErrHandler(func(*nats.Conn, error) { log(entry{Do: opInterrupted}) }))
		if err != nil {
			return nil, err
		}
		js, err := jetstream.New(conn)
		return bufferedServer{s, conn, js}, err
	}
	return s, nil
}

type withoutExpectation struct{ stream.Server }

func (s withoutExpectation) Publish(ctx context.Context, m *stream.Message, after uint64) (uint64, error) {
	if m.Header["Parley-Kind"] == "append" {
		after = stream.AnySequence
	}
	return s.Server.Publish(ctx, m, after)
}

type acceptedRefusal struct{ stream.Server }

func (s acceptedRefusal) Publish(ctx context.Context, m *stream.Message, after uint64) (uint64, error) {
	seq, err := s.Server.Publish(ctx, m, after)
	if errors.Is(err, stream.ErrSequence) && m.Header["Parley-Kind"] == "append" {
		return after + 1, nil
	}
	return seq, err
}

// A lateReplica answers for the last message as it should have answered the request before.
type lateReplica struct {
	stream.Server
	mu   sync.Mutex
	last map[string]*stream.Message
}

func (s *lateReplica) Last(ctx context.Context, subject string) (*stream.Message, error) {
	m, err := s.Server.Last(ctx, subject)
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.last[subject]
	s.last[subject] = m
	if before != nil && err == nil {
		return before, nil
	}
	return m, err
}

// A bufferedServer publishes frames over a connection that buffers while it is interrupted.
type bufferedServer struct {
	stream.Server
	conn *nats.Conn
	js   jetstream.JetStream
}

// Last reads after what was buffered has been sent: else a further attempt could be under way when the message of the last one arrives.
func (s bufferedServer) Last(ctx context.Context, subject string) (*stream.Message, error) {
	if err := s.conn.FlushWithContext(ctx); err != nil {
		return nil, err
	}
	return s.Server.Last(ctx, subject)
}

func (s bufferedServer) Publish(ctx context.Context, m *stream.Message, after uint64) (uint64, error) {
	if m.Header["Parley-Kind"] != "append" {
		return s.Server.Publish(ctx, m, after)
	}
	out := &nats.Msg{Subject: m.Subject, Data: m.Data, Header: nats.Header{}}
	for name, value := range m.Header {
		out.Header[name] = []string{value}
	}
	ack, err := s.js.PublishMsg(ctx, out, jetstream.WithExpectLastSequencePerSubject(after), jetstream.WithRetryAttempts(0))
	if api, ok := errors.AsType[*jetstream.APIError](err); ok && api.Code == http.StatusBadRequest {
		return 0, stream.ErrSequence
	}
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}
