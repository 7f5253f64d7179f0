package page

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/exec"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
)

// Options are the settings of a page.
type Options struct {
	Program string // path
	Version string // of this program, which the other has to have
	Title   string // "": the session's name, else its first prompt
	// Blob returns the content that a record names by its address. It is called while records are read.
	Blob func(address string) ([]byte, error)
}

var (
	errEnded   = errors.New("it ended before the page was complete")
	errGarbled = errors.New("its requests are not understood")
)

// Write starts the program, and writes the page that it makes of the records, over which it ranges twice.
// If ctx ends, so does the program. An error of records or of w is returned unchanged.
func Write(ctx context.Context, w io.Writer, records iter.Seq2[event.Record, error], o Options) error {
	cmd := exec.CommandContext(ctx, o.Program, Command) //nolint:gosec // a program of this installation
	cmd.Env = []string{}                                // it needs none of the keys that may be there
	messages := &beginning{}
	cmd.Stderr = messages
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return errors.Join(fmt.Errorf("write page: %w", err), in.Close())
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	a := &answerer{in: bufio.NewReaderSize(out, batch), out: bufio.NewWriterSize(in, batch), records: records, o: o, page: &watched{w: w}}
	err = a.answerAll()
	if err != nil {
		_ = cmd.Process.Kill() // it may have ended
	}
	_ = in.Close() // it may be closed
	ended := cmd.Wait()
	switch {
	case err != errEnded && err != errGarbled:
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == errEnded && ended != nil:
		err = ended
	}
	if text := strings.TrimSpace(string(messages.text)); text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	if !a.started {
		return fmt.Errorf("write page: %s is no program of this version, %s: install both together: %w", o.Program, o.Version, err)
	}
	return fmt.Errorf("write page: %s: %w", o.Program, err)
}

// An answerer answers the requests of the program.
type answerer struct {
	in      *bufio.Reader
	out     *bufio.Writer
	records iter.Seq2[event.Record, error]
	next    func() (event.Record, error, bool) // of the range over them that has begun
	stop    func()
	o       Options
	page    *watched
	started bool
}

// answerAll answers until the page is complete. The error is errEnded or errGarbled if the program is the cause.
func (a *answerer) answerAll() error {
	defer a.rewind(nil)
	for {
		line, err := a.in.ReadSlice('\n')
		var r request
		switch {
		case err == io.EOF && len(line) == 0:
			return errEnded
		case err != nil || json.Unmarshal(line, &r) != nil || a.started == (r.Kind == kindStart):
			return errGarbled
		case r.Kind == kindEnd:
			return nil
		}
		if err := a.answer(r); err != nil {
			return err
		}
	}
}

// answer answers one request.
func (a *answerer) answer(r request) error {
	switch r.Kind {
	case kindStart:
		if r.Version != a.o.Version {
			return fmt.Errorf("write page: %s has version %s, and this program %s: install both together", a.o.Program, r.Version, a.o.Version)
		}
		a.started = true
		return a.send(settings{a.o.Title})
	case kindFirst:
		a.rewind(a.records)
		return a.sendRecords()
	case kindNext:
		return a.sendRecords()
	case kindBlob:
		return a.send(a.blob(r.Address))
	case kindPage:
		if _, err := io.CopyN(a.page, a.in, r.Size); a.page.err != nil {
			return a.page.err
		} else if err != nil {
			return errEnded
		}
		return nil
	}
	return errGarbled
}

// rewind ends the range over the records, and begins another if there are some.
func (a *answerer) rewind(records iter.Seq2[event.Record, error]) {
	if a.stop != nil {
		a.stop()
		a.next, a.stop = nil, nil
	}
	if records != nil {
		a.next, a.stop = iter.Pull2(records)
	}
}

// sendRecords sends the next records.
func (a *answerer) sendRecords() error {
	if a.next == nil {
		return errGarbled
	}
	var line []byte
	for size := 0; size < batch; size += len(line) {
		rec, err, ok := a.next()
		if !ok {
			break
		}
		if err != nil {
			return err
		}
		if line, err = rec.AppendJSON(line[:0]); err != nil {
			return err
		}
		line = append(line, '\n')
		_, _ = a.out.Write(line) // Flush returns the error
	}
	return a.flush("\n")
}

// blob returns the content of an address.
func (a *answerer) blob(address string) answer {
	if a.o.Blob != nil {
		if content, err := a.o.Blob(address); err == nil {
			return answer{Content: content}
		}
	}
	return answer{Missing: true}
}

func (a *answerer) send(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, _ = a.out.Write(line) // Flush returns the error
	return a.flush("\n")
}

func (a *answerer) flush(end string) error {
	_, _ = a.out.WriteString(end) // Flush returns the error
	if a.out.Flush() != nil {
		return errEnded // the program reads nothing any more
	}
	return nil
}

// A watched is a writer that keeps its error.
type watched struct {
	w   io.Writer
	err error
}

func (w *watched) Write(p []byte) (n int, err error) {
	if n, err = w.w.Write(p); err != nil {
		w.err = err
	}
	return n, err
}

// A beginning keeps the first bytes of what is written to it.
type beginning struct{ text []byte }

func (b *beginning) Write(p []byte) (int, error) {
	const most = 4 << 10 // bytes
	b.text = append(b.text, p[:min(len(p), most-len(b.text))]...)
	return len(p), nil
}
