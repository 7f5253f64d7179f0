package tool

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"parley.dev/parley/internal/tool/output"
)

// A webPage is what was read of a response.
type webPage struct {
	text string // valid UTF-8; Markdown if it was HTML
	mime string // media type, without parameters
	size int64  // bytes read, after decompression
	more bool   // it is longer than what was read
}

// textTypes are the media types that are text although their names do not begin so;
// those that end in +json, +xml or +yaml are too.
var textTypes = []string{
	"application/json", "application/ld+json", "application/x-ndjson", "application/jsonl", "application/xml",
	"application/javascript", "application/x-javascript", "application/ecmascript", "application/typescript",
	"application/yaml", "application/x-yaml", "application/toml", "application/sql", "application/graphql",
	"application/x-sh", "application/x-httpd-php", "application/x-tex", "application/rtf", "image/svg+xml",
}

func isText(mediaType string) bool {
	if strings.HasPrefix(mediaType, "text/") || slices.Contains(textTypes, mediaType) {
		return true
	}
	_, suffix, _ := strings.Cut(mediaType, "+")
	return suffix == "json" || suffix == "xml" || suffix == "yaml"
}

// readPage reads at most limit bytes of a response. What is no text is an error that says
// what it is.
func readPage(response *http.Response, limit int64) (webPage, error) {
	if coding := response.Header.Get("Content-Encoding"); coding != "" {
		return webPage{}, fmt.Errorf("it is compressed as %q, which cannot be read", coding)
	}
	body := bufio.NewReader(response.Body)
	contentType := response.Header.Get("Content-Type")
	if contentType == "" {
		start, _ := body.Peek(512) // an error comes again below
		contentType = http.DetectContentType(start)
	}
	mediaType, _, _ := strings.Cut(contentType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	if !isText(mediaType) {
		return webPage{}, fmt.Errorf("it holds %s (%s), and only text can be fetched", mediaType, sizeOf(response))
	}
	isHTML := mediaType == "text/html" || mediaType == "application/xhtml+xml"
	if isHTML {
		limit = min(limit, fetchHTMLLimit)
	}
	raw, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return webPage{}, err
	}
	p := webPage{mime: mediaType, more: int64(len(raw)) > limit}
	raw = raw[:min(int64(len(raw)), limit)]
	p.size = int64(len(raw))
	p.text = decodeText(raw, contentType)
	if isHTML {
		p.text = markdown(p.text, response.Request.URL)
	}
	return p, nil
}

func sizeOf(response *http.Response) string {
	if response.ContentLength < 0 {
		return "of unknown size"
	}
	return fmt.Sprintf("%d bytes", response.ContentLength)
}

// decodeText makes UTF-8 of raw, by its declared encoding, or else by what it looks like.
func decodeText(raw []byte, contentType string) string {
	encoding, _, certain := charset.DetermineEncoding(raw, contentType)
	if certain || !utf8.Valid(output.WholeRunes(raw)) {
		if decoded, err := encoding.NewDecoder().Bytes(raw); err == nil {
			raw = decoded
		}
	}
	text := strings.TrimPrefix(string(raw), "\uFEFF") // the byte order mark
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
}
