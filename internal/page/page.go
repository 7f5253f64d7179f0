package page

import (
	"bufio"
	"io"
	"iter"

	"parley.dev/parley/internal/event"
)

// Options is what the records of a session do not say.
type Options struct {
	Title   string // "": the session's name, else its first prompt
	Version string // of the program; "" is not shown
	Facts   []Fact // for the head, behind what the records say
	// Blob gives what a record names by its address. Nil, or an error: the page says that
	// the image is missing.
	Blob func(address string) ([]byte, error)
}

// A Fact is a line of the page's head.
type Fact struct{ Name, Value string }

// Write writes the durable records of a session as a page.
//
// It ranges over records twice: what was left behind, and the labels and sums of the head,
// are known at the end only. So it holds one step of the session in memory, however long
// that is. Records that the second round has and the first had not are left out.
//
// An error of records, before or while the page is written, is returned as it is.
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
