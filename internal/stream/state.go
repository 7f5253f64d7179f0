package stream

import "context"

// A Monitor is a Server that reports its state, for metrics.
type Monitor interface {
	// Connected reports whether there is a connection now.
	Connected() bool
	// Info returns what a namespace consists of.
	Info(ctx context.Context, namespace string) (Info, error)
	// Backlogs returns how many messages the consumers have of the stream that stores a subject, by their names.
	Backlogs(ctx context.Context, subject string) (map[string]Backlog, error)
}

// A Backlog is the messages of a consumer that are not acknowledged.
type Backlog struct {
	Waiting   int // not delivered
	Delivered int
}

var _ Monitor = (*Client)(nil)

// Connected implements Monitor.
func (c *Client) Connected() bool { return c.conn.IsConnected() }

// Backlogs implements Monitor.
func (c *Client) Backlogs(ctx context.Context, subject string) (map[string]Backlog, error) {
	s, err := c.stream(ctx, subject)
	if err != nil {
		return nil, err
	}
	list := s.ListConsumers(ctx)
	found := map[string]Backlog{}
	for info := range list.Info() {
		found[info.Name] = Backlog{Waiting: int(info.NumPending), Delivered: info.NumAckPending} //nolint:gosec // they fit into memory
	}
	return found, list.Err()
}
