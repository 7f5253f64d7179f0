package jetstream

import (
	"context"
	"fmt"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/stream"
)

// Remove implements batch.Logs. What is stored after it has begun, as of a batch that is submitted again, is not
// removed.
func (s *Store) Remove(ctx context.Context, id string) error {
	c, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer c.end()
	if !token.Get().MatchString(id) {
		return nil
	}
	if err := s.remove(c, id); err != nil {
		return fmt.Errorf("remove batch %s: %w", id, s.asClosed(err))
	}
	return nil
}

func (s *Store) remove(c *call, id string) error {
	n := c.link.Namespace
	tasks := n.TaskLog(id, string(batch.TaskLog), "*")
	subjects := []string{
		n.QueuedBatch("*", id), n.BatchBlobs(id), tasks, n.BatchLog(id, string(batch.CancelLog)), n.BatchLog(id, string(batch.LedgerLog)),
		n.BatchLog(id, string(batch.DefinitionLog)),
	}
	ends := make([]uint64, len(subjects))
	for i, subject := range subjects {
		last, err := stream.LastOnce(c, c.link, subject)
		if err != nil {
			return err
		}
		ends[i] = last.Seq
	}
	for i, subject := range subjects {
		if ends[i] == 0 {
			continue
		}
		if err := c.link.Purge(c, subject, ends[i]); err != nil {
			return err
		}
	}
	return s.removeLanes(c, id)
}

// removeLanes deletes the consumers of a batch, unless it has tasks again.
func (s *Store) removeLanes(c *call, id string) error {
	names, err := c.link.ConsumerNames(c, c.link.Namespace.Queue("*"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if l, ok := parseLane(name); ok && l.batch == id {
			if err := s.deleteLane(c, l); err != nil {
				return err
			}
		}
	}
	return nil
}
