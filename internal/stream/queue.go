package stream

import (
	"context"
	"errors"
	"time"
)

// WorkQueues are what queues need of JetStream besides Server. A message of a queue is stored until it is
// acknowledged, and delivered to one receiver at a time. Package streamtest simulates them.
type WorkQueues interface {
	// PublishFirst publishes messages, each as the first one of its subject, in order and without waiting for one
	// before the next. It returns an error for each; see Server.Publish.
	PublishFirst(ctx context.Context, messages []*Message) []error
	// CreateConsumer creates a consumer, unless there is one of that name.
	CreateConsumer(ctx context.Context, c Consumer) error
	// ConsumerNames returns the names of the consumers of the stream that stores a subject.
	ConsumerNames(ctx context.Context, subject string) ([]string, error)
	// DeleteConsumer deletes a consumer. It is no error if there is none.
	DeleteConsumer(ctx context.Context, c Consumer) error
	// Idle reports whether a consumer has no message, delivered or not. ErrNoConsumer.
	Idle(ctx context.Context, c Consumer) (bool, error)
	// Next delivers the next message of a consumer that is due, the oldest one that was not delivered before unless
	// one is due again. ErrNoMessage: none is due now. ErrNoConsumer. After another error a message may have been
	// delivered to no caller; it is delivered again after Consumer.Wait.
	Next(ctx context.Context, c Consumer) (*QueueMessage, error)
	// Answer answers a delivery. After an error the answer may have arrived.
	Answer(ctx context.Context, m *QueueMessage, a Answer) error
}

// ErrNoConsumer reports that a consumer does not exist.
var ErrNoConsumer = errors.New("the consumer does not exist")

// A Consumer delivers the messages of a queue.
type Consumer struct {
	Name   string
	Filter string        // the subjects of the messages
	Wait   time.Duration // after which a message is delivered again that was not answered
}

// A QueueMessage is a message that was delivered.
type QueueMessage struct {
	*Message
	Reply string // the subject of answers
}

// An Answer is what the receiver of a message sends.
type Answer struct {
	Kind  AnswerKind
	Delay time.Duration // of Nak
}

// An AnswerKind is one of the kinds of answers.
type AnswerKind int

// The kinds. An answer about a message that is not delivered, or was acknowledged, does nothing.
const (
	Ack      AnswerKind = iota // the message is removed
	Nak                        // it is delivered again after Delay
	Progress                   // Consumer.Wait begins again
)
