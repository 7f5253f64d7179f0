package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func (c *Client) PublishFirst(ctx context.Context, messages []*Message) []error {
	subjects := make([]string, len(messages))
	for i, m := range messages {
		subjects[i] = m.Subject
	}
	ctx, done := c.violations.watch(ctx, subjects...)
	defer done(new(error)) // each message has an error of its own
	errs := make([]error, len(messages))
	futures := make([]jetstream.PubAckFuture, len(messages))
	for i, m := range messages {
		futures[i], errs[i] = c.js.PublishMsgAsync(outgoing(m), jetstream.WithRetryAttempts(0), jetstream.WithExpectLastSequencePerSubject(0))
	}
	for i, future := range futures {
		if errs[i] != nil {
			continue
		}
		select {
		case <-future.Ok():
		case err := <-future.Err():
			errs[i] = publishError(err)
		case <-ctx.Done():
			errs[i] = ctx.Err()
			if e := missing(ctx); e != nil && (e.Subscribe || e.Subject == messages[i].Subject) {
				errs[i] = publishError(e)
			}
		}
	}
	return errs
}

// CreateConsumer creates a durable pull consumer whose deliveries are not limited: the logs of tasks count
// attempts.
func (c *Client) CreateConsumer(ctx context.Context, consumer Consumer) (err error) {
	ctx, done := c.violations.watch(ctx, api("CONSUMER.CREATE", streamOf(consumer.Filter)))
	defer done(&err)
	s, err := c.stream(ctx, consumer.Filter)
	if err != nil {
		return err
	}
	_, err = s.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: consumer.Name, FilterSubject: consumer.Filter, AckPolicy: jetstream.AckExplicitPolicy, AckWait: consumer.Wait,
		MaxDeliver: -1, MaxAckPending: -1,
	})
	if errors.Is(err, jetstream.ErrConsumerExists) {
		return nil // with another wait
	}
	return err
}

func (c *Client) ConsumerNames(ctx context.Context, subject string) (names []string, err error) {
	ctx, done := c.violations.watch(ctx, api("CONSUMER.NAMES", streamOf(subject)))
	defer done(&err)
	s, err := c.stream(ctx, subject)
	if err != nil {
		return nil, err
	}
	list := s.ConsumerNames(ctx)
	for name := range list.Name() {
		names = append(names, name)
	}
	return names, list.Err()
}

func (c *Client) DeleteConsumer(ctx context.Context, consumer Consumer) error {
	s, err := c.stream(ctx, consumer.Filter)
	if err != nil {
		return err
	}
	if err := c.deleteConsumer(ctx, s, consumer.Name); !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	return nil
}

func (c *Client) deleteConsumer(ctx context.Context, s jetstream.Stream, name string) (err error) {
	ctx, done := c.violations.watch(ctx, api("CONSUMER.DELETE", s.CachedInfo().Config.Name))
	defer done(&err)
	return s.DeleteConsumer(ctx, name)
}

func (c *Client) Idle(ctx context.Context, consumer Consumer) (_ bool, err error) {
	ctx, done := c.violations.watch(ctx, api("CONSUMER.INFO", streamOf(consumer.Filter)))
	defer done(&err)
	s, err := c.stream(ctx, consumer.Filter)
	if err != nil {
		return false, err
	}
	found, err := s.Consumer(ctx, consumer.Name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return false, ErrNoConsumer
	}
	if err != nil {
		return false, err
	}
	info := found.CachedInfo()
	return info.NumPending == 0 && info.NumAckPending == 0, nil
}

// The status of the answer to a request for a message that delivers none.
const (
	headerStatus      = "Status"
	headerDescription = "Description"
	statusNoMessage   = "404"
	statusNoResponder = "503"
	statusDeleted     = "409"
)

// Next requests one message, without waiting for one.
func (c *Client) Next(ctx context.Context, consumer Consumer) (*QueueMessage, error) {
	subject := fmt.Sprintf("$JS.API.CONSUMER.MSG.NEXT.%s.%s", streamOf(consumer.Filter), consumer.Name)
	m, err := c.requestDelivery(ctx, subject, []byte(`{"batch":1,"no_wait":true}`))
	if errors.Is(err, nats.ErrNoResponders) {
		return nil, ErrNoConsumer
	}
	if err != nil {
		return nil, err
	}
	switch status := m.Header.Get(headerStatus); status {
	case "":
	case statusNoMessage:
		return nil, ErrNoMessage
	case statusNoResponder, statusDeleted:
		return nil, ErrNoConsumer
	default:
		return nil, fmt.Errorf("consumer %s: %s %s", consumer.Name, status, m.Header.Get(headerDescription))
	}
	meta, err := m.Metadata()
	if err != nil {
		return nil, err
	}
	return &QueueMessage{messageOf(m.Subject, meta.Sequence.Stream, meta.Timestamp, m.Header, m.Data), m.Reply}, nil
}

// requestDelivery sends a request that is answered once. What is delivered has the subject of the stream, by which the
// client library's inbox of requests cannot find the request: so each that is open has a subscription of its own, which
// later ones use again.
func (c *Client) requestDelivery(ctx context.Context, subject string, data []byte) (_ *nats.Msg, err error) {
	ctx, done := c.violations.watch(ctx, subject)
	defer done(&err)
	sub, err := c.takeInbox()
	if err != nil {
		return nil, err
	}
	if err := c.conn.PublishRequest(subject, sub.Subject, data); err != nil {
		_ = sub.Unsubscribe()
		return nil, err
	}
	m, err := sub.NextMsgWithContext(ctx)
	if err != nil {
		_ = sub.Unsubscribe() // an answer may arrive yet
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inboxes = append(c.inboxes, sub)
	return m, nil
}

func (c *Client) takeInbox() (*nats.Subscription, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.inboxes); n > 0 {
		sub := c.inboxes[n-1]
		c.inboxes = c.inboxes[:n-1]
		return sub, nil
	}
	return c.conn.SubscribeSync(c.conn.NewInbox())
}

// Answer waits until the server has confirmed the answer, which it does for all kinds.
func (c *Client) Answer(ctx context.Context, m *QueueMessage, a Answer) (err error) {
	ctx, done := c.violations.watch(ctx, m.Reply)
	defer done(&err)
	_, err = c.conn.RequestWithContext(ctx, m.Reply, a.encode())
	return err
}

// encode returns the payload of an answer.
func (a Answer) encode() []byte {
	switch a.Kind {
	case Ack:
		return []byte("+ACK")
	case Progress:
		return []byte("+WPI")
	}
	if a.Delay <= 0 {
		return []byte("-NAK")
	}
	options, _ := json.Marshal(struct { // never fails
		Delay int64 `json:"delay"` // ns
	}{a.Delay.Nanoseconds()})
	return append([]byte("-NAK "), options...)
}
