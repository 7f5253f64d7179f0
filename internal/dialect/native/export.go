package native

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"parley.dev/parley/internal/event"
)

// maxExports is how many large exports of a session a connection can read with session/blob: the last ones.
const maxExports = 4

// An exported session is a text that is too large for an answer. It is in a temporary file without a name, not among
// the blobs of the session: a client that may only read can export.
type exported struct {
	address string
	size    int64
	file    *os.File
}

// piece reads a part of the text.
func (e exported) piece(offset, limit int) (SessionBlobResult, error) {
	from := min(int64(offset), e.size)
	data := make([]byte, min(int64(limit), e.size-from))
	if _, err := e.file.ReadAt(data, from); err != nil && !errors.Is(err, io.EOF) {
		return SessionBlobResult{}, fmt.Errorf("read export: %w", err)
	}
	return SessionBlobResult{data, int(e.size)}, nil
}

// exports are the large exports of a session, the oldest first.
type exports []exported

func (x exports) find(address string) (exported, bool) {
	for _, e := range x {
		if e.address == address {
			return e, true
		}
	}
	return exported{}, false
}

// add takes an export over, which replaces the oldest one if there are too many.
func (x *exports) add(e exported) {
	if _, known := x.find(e.address); known {
		e.file.Close()
		return
	}
	if *x = append(*x, e); len(*x) > maxExports {
		(*x)[0].file.Close()
		*x = (*x)[1:]
	}
}

func (x *exports) close() {
	for _, e := range *x {
		e.file.Close()
	}
	*x = nil
}

// export writes the session in a form for other programs (session/export). Other requests are handled meanwhile.
func (c *conn) export(ctx context.Context, r request, p *SessionExportParams) {
	s, err := c.enter(ctx, p.Session, "")
	if err != nil {
		c.fail(r.id, err)
		return
	}
	c.blocking.Go(func() {
		result, err := c.exportSession(s, p.Format)
		c.mu.Lock()
		defer c.mu.Unlock()
		s.watched.pump.Reply(answerLine(r.id, result, err))
	})
}

// exportSession returns the text, or makes it one of the exports of the session.
func (c *conn) exportSession(s *session, format string) (result SessionExportResult, err error) {
	e, err := exportTo(func(w io.Writer) error { return c.cfg.Export(c.hurried, w, s.eng.ID(), format) })
	switch {
	case err != nil && c.hurried.Err() != nil:
		return result, errClosing
	case err != nil:
		return result, err
	case e.size > BlobLimit:
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.sessions[s.eng.ID()] != s { // it was closed meanwhile
			e.file.Close()
			return result, errClosing
		}
		s.exports.add(e)
		return SessionExportResult{Blob: e.address, Size: e.size}, nil
	}
	defer e.file.Close()
	piece, err := e.piece(0, BlobLimit)
	text := string(piece.Data)
	return SessionExportResult{Data: &text}, err
}

// exportTo returns what write writes.
func exportTo(write func(io.Writer) error) (e exported, err error) {
	file, err := os.CreateTemp("", "parley-export-*")
	if err != nil {
		return e, fmt.Errorf("export: %w", err)
	}
	_ = os.Remove(file.Name()) // it is open, and nothing is left of it after a kill
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	sum := sha256.New()
	out := bufio.NewWriter(io.MultiWriter(file, sum))
	if err = write(out); err != nil {
		return e, err
	}
	if err = out.Flush(); err != nil {
		return e, fmt.Errorf("export: %w", err)
	}
	size, err := file.Seek(0, io.SeekCurrent)
	return exported{hex.EncodeToString(sum.Sum(nil)), size, file}, err
}

// An Exporter writes a session in a form: html, md, json or pi.
type Exporter func(ctx context.Context, w io.Writer, id event.SessionID, format string) error
