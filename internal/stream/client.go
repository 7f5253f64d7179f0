package stream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// maxGets is how many messages are read one by one before a consumer is made for the rest.
	maxGets = 16
	// readPatience is how long a consumer may be silent before it is given up.
	readPatience = 500 * time.Millisecond
	// maxResets is how often a consumer is made again that misses a message.
	maxResets = 8
	// consumerTTL is how long a consumer remains whose reader was killed.
	consumerTTL = 30 * time.Second
)

// A Client is a server over a connection.
type Client struct {
	conn       *nats.Conn
	js         jetstream.JetStream
	violations *violations
	single     atomic.Bool // messages are read one by one, since the user must not create consumers

	mu      sync.Mutex // guards the rest
	streams map[string]jetstream.Stream
	inboxes []*nats.Subscription // that no request uses
}

// Close ends the connection.
func (c *Client) Close() { c.conn.Close() }

// Interruptions returns how often the connection was made again.
func (c *Client) Interruptions() uint64 { return c.conn.Stats().Reconnects }

// stream returns the stream that stores a subject. None of the namespace's streams allows direct gets, so
// the leader answers all requests.
func (c *Client) stream(ctx context.Context, subject string) (_ jetstream.Stream, err error) {
	name := streamOf(subject)
	ctx, done := c.violations.watch(ctx, api("STREAM.INFO", name))
	defer done(&err)
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.streams[name]; s != nil {
		return s, nil
	}
	s, err := available(ctx, c, func(ctx context.Context) (jetstream.Stream, error) { return c.js.Stream(ctx, name) })
	if err == nil {
		c.streams[name] = s
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		err = errors.Join(ErrNoStream, err)
	}
	return s, err
}

// The codes of errors of JetStream.
const (
	codeWrongSequence jetstream.ErrorCode = 10071
	codeNotApplied    jetstream.ErrorCode = 10164
)

// fullCodes are those of a store that has no space.
var fullCodes = []jetstream.ErrorCode{10023, 10047, 10077}

func (c *Client) Publish(ctx context.Context, m *Message, after uint64) (uint64, error) {
	options := []jetstream.PublishOpt{jetstream.WithRetryAttempts(0)}
	if after != AnySequence {
		options = append(options, jetstream.WithExpectLastSequencePerSubject(after))
	}
	if m.TTL > 0 {
		options = append(options, jetstream.WithMsgTTL(m.TTL))
	}
	ctx, done := c.violations.watch(ctx, m.Subject)
	ack, err := c.js.PublishMsg(ctx, outgoing(m), options...)
	done(&err)
	if err != nil {
		return 0, publishError(err)
	}
	return ack.Sequence, nil
}

func outgoing(m *Message) *nats.Msg {
	out := &nats.Msg{Subject: m.Subject, Data: m.Data, Header: nats.Header{}}
	for name, value := range m.Header {
		out.Header[name] = []string{value}
	}
	return out
}

// publishError returns the error of server.publish for one of the client library. Errors of a server that is
// not ready leave the outcome unknown.
func publishError(err error) error {
	if e, ok := errors.AsType[*PermissionError](err); ok && !e.Subscribe {
		return &RefusedError{err}
	}
	api, ok := errors.AsType[*jetstream.APIError](err)
	switch {
	case !ok || api.Code == http.StatusServiceUnavailable && !slices.Contains(fullCodes, api.ErrorCode):
		return err
	case api.ErrorCode == codeWrongSequence:
		return ErrSequence
	case api.ErrorCode == codeNotApplied:
		return ErrNotApplied
	case slices.Contains(fullCodes, api.ErrorCode):
		return &RefusedError{fmt.Errorf("%s: %w", api.Description, syscall.ENOSPC)}
	}
	return &RefusedError{err}
}

func (c *Client) Last(ctx context.Context, subject string) (_ *Message, err error) {
	ctx, done := c.violations.watch(ctx, api("STREAM.MSG.GET", streamOf(subject)))
	defer done(&err)
	s, err := c.stream(ctx, subject)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		err = errors.Join(err, c.restoreHosts(ctx, subject))
	}
	if err != nil {
		return nil, err
	}
	m, err := available(ctx, c, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return s.GetLastMsgForSubject(ctx, subject)
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, ErrNoMessage
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, errors.Join(err, c.restoreHosts(ctx, subject))
	}
	if err != nil {
		return nil, err
	}
	return messageOf(m.Subject, m.Sequence, m.Time, m.Header, m.Data), nil
}

func messageOf(subject string, seq uint64, stored time.Time, header nats.Header, data []byte) *Message {
	m := &Message{Subject: subject, Seq: seq, Time: stored, Data: data, Header: make(map[string]string, len(header))}
	for name, values := range header {
		if len(values) > 0 {
			m.Header[name] = values[0]
		}
	}
	return m
}

// Read reads some messages one by one, since most journals are short, and the rest with a consumer, if the user may
// create one. A consumer that delivers nothing, or fails, is given up: in a cluster its first request can be lost, and it
// ends with its leader.
func (c *Client) Read(ctx context.Context, subject string, from, to uint64, each func(*Message) error) (err error) {
	name := streamOf(subject)
	ctx, done := c.violations.watch(ctx, api("STREAM.MSG.GET", name))
	defer done(&err)
	s, err := c.stream(ctx, subject)
	if err != nil {
		return err
	}
	for {
		if from, err = c.get(ctx, s, subject, from, to, each); err != nil || from > to {
			return err
		}
		if c.single.Load() {
			continue
		}
		from, err = c.consume(ctx, s, subject, from, to, each)
		if e, ok := errors.AsType[*PermissionError](err); ok && !e.Subscribe {
			c.single.Store(true)
		} else if err != nil || from > to {
			return err
		}
	}
}

// get reads messages one by one, some at most. It returns the sequence to go on from, which is after to if
// there are no more.
func (c *Client) get(ctx context.Context, s jetstream.Stream, subject string, from, to uint64, each func(*Message) error) (uint64, error) {
	for range maxGets {
		if from > to {
			break
		}
		m, err := available(ctx, c, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
			return s.GetMsg(ctx, from, jetstream.WithGetMsgSubject(subject))
		})
		if errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && m.Sequence > to {
			return to + 1, nil
		}
		if err != nil {
			return from, err
		}
		if err := each(messageOf(m.Subject, m.Sequence, m.Time, m.Header, m.Data)); err != nil {
			return from, err
		}
		from = m.Sequence + 1
	}
	return from, nil
}

// consume reads with an ordered consumer until it is silent. It returns what get returns.
func (c *Client) consume(ctx context.Context, s jetstream.Stream, subject string, from, to uint64, each func(*Message) error) (_ uint64, err error) {
	name := s.CachedInfo().Config.Name
	ctx, done := c.violations.watch(ctx, api("CONSUMER.CREATE", name), api("CONSUMER.MSG.NEXT", name))
	defer done(&err)
	consumer, err := available(ctx, c, func(ctx context.Context) (jetstream.Consumer, error) {
		return s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{subject}, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: from,
			InactiveThreshold: consumerTTL, MaxResetAttempts: maxResets,
		})
	})
	if err != nil {
		return from, err
	}
	messages, err := consumer.Messages()
	if err != nil {
		return from, err
	}
	defer func() {
		messages.Stop()
		if info := consumer.CachedInfo(); info != nil {
			_ = c.deleteConsumer(context.WithoutCancel(ctx), s, info.Name) // else the server does, later
		}
	}()
	for from <= to {
		m, err := messages.Next(jetstream.NextMaxWait(readPatience))
		switch {
		case ctx.Err() != nil:
			return from, ctx.Err()
		case err != nil: // get returns the error if it lasts
			return from, nil
		}
		meta, err := m.Metadata()
		if err != nil {
			return from, err
		}
		seq := meta.Sequence.Stream
		if seq > to {
			return seq, nil
		}
		if err := each(messageOf(m.Subject(), seq, meta.Timestamp, m.Headers(), m.Data())); err != nil {
			return from, err
		}
		from = seq + 1
	}
	return from, nil
}

func (c *Client) Purge(ctx context.Context, subject string, to uint64) (err error) {
	ctx, done := c.violations.watch(ctx, api("STREAM.PURGE", streamOf(subject)))
	defer done(&err)
	s, err := c.stream(ctx, subject)
	if err != nil {
		return err
	}
	_, err = available(ctx, c, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.Purge(ctx, jetstream.WithPurgeSubject(subject), jetstream.WithPurgeSequence(to+1))
	})
	return err
}

func (c *Client) Request(ctx context.Context, subject string, data []byte) (_ []byte, err error) {
	ctx, done := c.violations.watch(ctx, subject)
	defer done(&err)
	m, err := c.conn.RequestWithContext(ctx, subject, data)
	if errors.Is(err, nats.ErrNoResponders) {
		return nil, ErrNoResponder
	}
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}

func (c *Client) Subscribe(subject string, received func(*Message)) (func(), error) {
	sub, err := c.conn.Subscribe(subject, func(m *nats.Msg) { received(messageOf(m.Subject, 0, time.Time{}, m.Header, nil)) })
	if err != nil {
		return nil, err
	}
	return func() { _ = sub.Unsubscribe() }, nil
}

// Serve does not report that the subscription is not permitted; what serves publishes, too, and learns it then.
func (c *Client) Serve(subject string, answer func([]byte) []byte) error {
	_, err := c.conn.Subscribe(subject, func(m *nats.Msg) { _ = m.Respond(answer(m.Data)) })
	if err != nil {
		return err
	}
	return c.conn.FlushTimeout(connectTimeout)
}

// Send sends data to those that receive the messages of a subject now.
func (c *Client) Send(subject string, data []byte) error { return c.conn.Publish(subject, data) }

// Receive calls received with what is sent to a subject from now on.
func (c *Client) Receive(subject string, received func(data []byte)) (stop func(), err error) {
	sub, err := c.conn.Subscribe(subject, func(m *nats.Msg) { received(m.Data) })
	if err != nil {
		return nil, err
	}
	return func() { _ = sub.Unsubscribe() }, nil
}
