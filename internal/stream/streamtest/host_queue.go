package streamtest

import (
	"context"

	"parley.dev/parley/internal/stream"
)

// PublishFirst publishes messages one by one, so that they go through the mutation.
func (h *Host) PublishFirst(ctx context.Context, messages []*stream.Message) []error {
	errs := make([]error, len(messages))
	for i, m := range messages {
		_, errs[i] = h.Publish(ctx, m, 0)
	}
	return errs
}

func (h *Host) CreateConsumer(ctx context.Context, c stream.Consumer) error {
	h.Await()
	defer h.Await()
	return h.sim.CreateConsumer(ctx, c)
}

func (h *Host) ConsumerNames(ctx context.Context, subject string) ([]string, error) {
	h.Await()
	defer h.Await()
	return h.sim.ConsumerNames(ctx, subject)
}

func (h *Host) DeleteConsumer(ctx context.Context, c stream.Consumer) error {
	h.Await()
	defer h.Await()
	return h.sim.DeleteConsumer(ctx, c)
}

func (h *Host) Idle(ctx context.Context, c stream.Consumer) (bool, error) {
	h.Await()
	defer h.Await()
	return h.sim.Idle(ctx, c)
}

func (h *Host) Next(ctx context.Context, c stream.Consumer) (*stream.QueueMessage, error) {
	h.Await()
	defer h.Await()
	return h.sim.Next(ctx, c)
}

func (h *Host) Answer(ctx context.Context, m *stream.QueueMessage, a stream.Answer) error {
	h.Await()
	defer h.Await()
	return h.sim.Answer(ctx, m, a)
}
