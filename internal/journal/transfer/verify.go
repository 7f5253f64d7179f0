package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// verify reads the copy again, and compares it with the source.
func (t *task) verify(ctx context.Context) error {
	next, stop := t.targetLines(ctx)
	defer stop()
	if next == nil {
		return errors.New("the lines of the target cannot be read")
	}
	for rec, err := range t.source.ReadLines(ctx, t.id, 1) {
		if err != nil {
			return fmt.Errorf("source: %w", err)
		}
		if err := sameLine(rec, next); err != nil {
			return err
		}
		for address := range addresses(lineOf(rec)) {
			if _, err := t.From.Blob(ctx, t.id, address); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if _, err := t.target.Blob(address); err != nil {
				return fmt.Errorf("target: %w", err)
			}
		}
	}
	if _, err, more := next(); more || err != nil {
		return errors.Join(errDiverged, err)
	}
	return nil
}
