package file

import (
	"context"
	"io"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/chain"
)

// summarize folds the rest of a journal into sum. It calls passed with each position, and each with
// each record; an error of each ends it. If each is nil, most records are checked but not decoded.
// In every case sum covers all lines before scan.at. An incomplete last line is reported as errTorn.
func summarize(ctx context.Context, scan *scanner, sum *journal.Summary, passed func(chain.Position), each func(event.Record) error) error {
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
		latest = append(latest[:0], chain.TimeOf(line)...)
		passed(scan.at)
	}
	return ctx.Err()
}

// fold decodes a line if sum needs it or whole is set.
func fold(line []byte, sum *journal.Summary, whole bool) (rec event.Record, err error) {
	if !whole && !sum.NeedsRecord(chain.KindOf(line)) {
		return rec, nil
	}
	if err := rec.UnmarshalJSON(line); err != nil {
		return rec, err
	}
	sum.Apply(rec)
	return rec, nil
}
