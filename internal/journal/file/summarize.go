package file

import (
	"context"
	"io"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// summarize folds what is left of a journal into sum and shows each position that it comes
// by, and each record to a receiver, whose error ends it; nil: most records are checked but
// not read. Whatever it returns, sum stands for all lines before scan.at; a torn last line is
// errTorn.
func summarize(ctx context.Context, scan *scanner, sum *journal.Summary, passed func(position), each func(event.Record) error) error {
	var latest []byte // the time of the last line
	defer func() {
		if when, err := time.Parse(time.RFC3339Nano, string(latest)); err == nil {
			sum.Updated = when
		}
	}()
	for ctx.Err() == nil {
		before := scan.at
		line, err := scan.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		rec, err := fold(line, sum, each != nil)
		if err != nil {
			scan.at = before
			return scan.damage(err.Error())
		}
		if each != nil {
			if err := each(rec); err != nil {
				return err
			}
		}
		latest = append(latest[:0], timeOf(line)...)
		passed(scan.at)
	}
	return ctx.Err()
}

// fold reads a line if sum needs it, or whole is wanted.
func fold(line []byte, sum *journal.Summary, whole bool) (rec event.Record, err error) {
	if !whole && !sum.Uses(kindOf(line)) {
		return rec, nil
	}
	if err := rec.UnmarshalJSON(line); err != nil {
		return rec, err
	}
	sum.Apply(rec)
	return rec, nil
}
