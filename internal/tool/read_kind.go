package tool

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"
)

// sniffed is how much of a file's beginning determines its kind, in bytes.
const sniffed = 8000

// detect returns the media type of a file that begins with head; "" if it is text.
func detect(head []byte) string {
	kind := http.DetectContentType(head)
	switch {
	case isImage(kind):
		return kind
	case bytes.IndexByte(head, 0) >= 0:
		return kind
	case validHead(head), strings.HasPrefix(kind, "text/"):
		return ""
	}
	return kind
}

// FileKind returns what a file is by its beginning: text, image or binary.
func FileKind(file io.ReaderAt) (string, error) {
	head := make([]byte, sniffed)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return "", err
	}
	switch kind := detect(head[:n]); {
	case kind == "":
		return "text", nil
	case isImage(kind):
		return "image", nil
	}
	return "binary", nil
}

// isImage reports whether models can look at files of that media type.
func isImage(kind string) bool {
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// validHead reports whether head is UTF-8, but for a last rune that may be cut.
func validHead(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 {
			return len(head) < utf8.UTFMax && !utf8.FullRune(head)
		}
		head = head[n:]
	}
	return true
}

// A cancelReader fails when its context has ended.
type cancelReader struct {
	ctx context.Context
	in  io.Reader
}

func (r *cancelReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.in.Read(p)
}
