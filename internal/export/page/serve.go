package page

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
)

// A Renderer writes the page of records, over which it may range twice.
type Renderer func(w io.Writer, records iter.Seq2[event.Record, error], title string, blob func(address string) ([]byte, error)) error

// Serve is the program of [Write]: it has a page rendered, of records that it reads from in, and writes it to out.
func Serve(in io.Reader, out io.Writer, version string, render Renderer) error {
	p := &peer{bufio.NewReaderSize(in, batch), bufio.NewWriterSize(out, batch)}
	var s settings
	if err := p.ask(request{Kind: kindStart, Version: version}, &s); err != nil {
		return err
	}
	if err := render(p, p.records, s.Title, p.blob); err != nil {
		return err
	}
	return p.send(request{Kind: kindEnd})
}

// A peer is what the program knows of the one that started it.
type peer struct {
	in  *bufio.Reader
	out *bufio.Writer
}

// Write sends a piece of the page.
func (p *peer) Write(piece []byte) (int, error) {
	if err := p.put(request{Kind: kindPage, Size: int64(len(piece))}); err != nil {
		return 0, err
	}
	n, err := p.out.Write(piece)
	if err != nil {
		return n, err
	}
	return n, p.out.Flush()
}

// records yields all records, each time from the first.
func (p *peer) records(yield func(event.Record, error) bool) {
	for kind := kindFirst; ; kind = kindNext {
		some, more := p.batch(request{Kind: kind}, yield)
		if !some || !more {
			return
		}
	}
}

// batch yields the records of one answer; some: there were records; more: there may be others, and they are wanted.
func (p *peer) batch(r request, yield func(event.Record, error) bool) (some, more bool) {
	if err := p.send(r); err != nil {
		return false, yield(event.Record{}, err)
	}
	lines := [][]byte{}
	for {
		line, err := p.line()
		if err != nil {
			return false, yield(event.Record{}, err)
		}
		if len(line) == 0 {
			break
		}
		lines = append(lines, line)
	}
	for i, line := range lines {
		lines[i] = nil
		var rec event.Record
		err := rec.UnmarshalJSON(line)
		if !yield(rec, err) || err != nil {
			return true, false
		}
	}
	return len(lines) > 0, true
}

// blob returns the content of an address.
func (p *peer) blob(address string) ([]byte, error) {
	var a answer
	if err := p.ask(request{Kind: kindBlob, Address: address}, &a); err != nil {
		return nil, err
	}
	if a.Missing {
		return nil, fmt.Errorf("there is no blob %s", address)
	}
	return a.Content, nil
}

// ask sends a request and reads its answer, one line.
func (p *peer) ask(r request, answer any) error {
	if err := p.send(r); err != nil {
		return err
	}
	line, err := p.line()
	if err != nil {
		return err
	}
	return json.Unmarshal(line, answer)
}

func (p *peer) send(r request) error {
	if err := p.put(r); err != nil {
		return err
	}
	return p.out.Flush()
}

func (p *peer) put(r request) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = p.out.Write(append(line, '\n'))
	return err
}

// line reads a line, without its end. The other program closes its side when it ends, or has an error to report itself.
func (p *peer) line() ([]byte, error) {
	line, err := p.in.ReadBytes('\n')
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return bytes.TrimSuffix(line, []byte("\n")), err
}
