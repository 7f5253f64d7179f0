package html

import (
	"bufio"
	"io"
	"iter"

	"parley.dev/parley/internal/event"
)

// Options are the settings of a page.
type Options struct {
	Title   string // "": the session's name, else its first prompt
	Version string // of the program; "" is not shown
	Facts   []Fact // further lines for the head
	// Blob returns the content that a record names by its address. If it is nil or returns an
	// error, the page says that the image is missing.
	Blob func(address string) ([]byte, error)
}

// A Fact is a line of the page's head.
type Fact struct{ Name, Value string }

// Write writes the durable records of a session as a page.
//
// It ranges over records twice, since abandoned branches, labels and the sums in the head are known
// only at the end. So it needs memory for one step of the session, whatever the length of the
// session is. Records that are new in the second pass are omitted.
//
// An error of records, before or while the page is written, is returned unchanged.
func Write(w io.Writer, records iter.Seq2[event.Record, error], o Options) error {
	ix, err := survey(records)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	f := newFold(out, ix, o)
	f.head(o)
	for rec, err := range records {
		if err != nil {
			return err
		}
		if rec.Seq > ix.last {
			break
		}
		f.record(rec)
	}
	f.foot(o)
	return out.Flush()
}
