// Package page has the page of a session written by another program, so that what renders pages, Markdown and the lexers of
// languages, is not part of the main program.
//
// The two have standard input and output of the program in common, and take turns. The program writes requests to its output, one
// JSON object a line, and reads the answers from its input:
//
//	{"kind":"start","version":"1.2.3"}  the first request, with the program's own version; the answer is a line with the settings of the page
//	{"kind":"first"}                    the answer is the first records, one a line, and an empty line
//	{"kind":"next"}                     the answer is the next records, in the same form; none: there are no more
//	{"kind":"blob","address":"…"}       the answer is a line with the content
//	{"kind":"page","size":4096}         that many bytes of the page follow; there is no answer
//	{"kind":"end"}                      the page is complete; there is no answer
//
// A renderer ranges over the records twice, see [parley.dev/parley/internal/export/html.Write], and neither side holds more than some
// records and one blob.
package page

// Command is the argument that makes the program write a page.
const Command = "page"

// batch is the size of the records after which an answer ends.
const batch = 64 << 10 // bytes

// A kind is what a request of the program is.
type kind string

// The kinds of requests, see the package.
const (
	kindStart kind = "start"
	kindFirst kind = "first"
	kindNext  kind = "next"
	kindBlob  kind = "blob"
	kindPage  kind = "page"
	kindEnd   kind = "end"
)

// A request is a line that the program writes.
type request struct {
	Kind    kind   `json:"kind"`
	Version string `json:"version,omitzero"` // of a start
	Address string `json:"address,omitzero"` // of a blob
	Size    int64  `json:"size,omitzero"`    // of a page, in bytes
}

// settings are the answer to the start.
type settings struct {
	Title string `json:"title,omitzero"`
}

// An answer is the content of a blob.
type answer struct {
	Content []byte `json:"content,omitzero"`
	Missing bool   `json:"missing,omitzero"`
}
