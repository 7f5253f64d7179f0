package plain

import (
	"bufio"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley.dev/parley/internal/invisible"
	"parley.dev/parley/internal/terminal"
	"parley.dev/parley/internal/tui/conversation"
)

// A printer writes facts: a tag and a text, whose further lines are indented.
type printer struct {
	out      *bufio.Writer
	err      error
	block    string               // what the last line belongs to; "": to a fact that is complete
	progress map[string]*progress // by the keys of items
}

// A progress is what was printed of an item.
type progress struct {
	header   bool   // its first lines
	text     int    // bytes of Item.Text
	whole    string // Item.Text up to there
	ended    bool
	approval bool   // an approval has shown what it does
	changes  string // the changes that an approval has shown
	plan     string
	lines    strings.Builder // of its output, unless they are long
	long     bool
	partial  string // the last line of its output, which is not complete
	live     bool   // output came live
}

func newPrinter(out io.Writer) *printer {
	return &printer{out: bufio.NewWriter(out), progress: map[string]*progress{}}
}

// of returns what was printed of an item.
func (p *printer) of(key string) *progress {
	s := p.progress[key]
	if s == nil {
		s = &progress{}
		p.progress[key] = s
	}
	return s
}

// skip notes items that are not printed.
func (p *printer) skip(items []conversation.Item) {
	p.progress = map[string]*progress{}
	for _, i := range items {
		if i.Approval == nil && i.Question == nil || !i.Open {
			s := p.of(i.Key)
			s.header, s.ended, s.text, s.whole = true, !i.Open, len(i.Text), i.Text
		}
	}
}

func (p *printer) flush() error {
	if err := p.out.Flush(); err != nil && p.err == nil {
		p.err = err
	}
	return p.err
}

// fact prints a text of others that is complete.
func (p *printer) fact(tag, text string) { p.lines("", tag, terminal.Clean(text)) }

// lines prints clean lines; those of a block that was printed last go on with it.
func (p *printer) lines(block, tag, text string) {
	for l := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		start := "  "
		if block == "" || block != p.block {
			start = strings.TrimSuffix("["+tag+"] "+l, " ")
			l = ""
		}
		_, _ = p.out.WriteString(start + l + "\n") // flush returns the error
		if p.block = block; block == "" {
			block = "\x00" // the rest of the same fact
			p.block = block
		}
	}
	if p.block == "\x00" {
		p.block = ""
	}
}

// exact returns text that is about to be approved: characters that are not seen are shown by their names.
func exact(text string) string {
	var b strings.Builder
	for _, r := range strings.TrimSuffix(text, "\n") {
		switch {
		case !invisible.Is(r):
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			b.WriteString(invisible.Sign(r))
		default:
			b.WriteString("<" + invisible.Name(r) + ">")
		}
	}
	return b.String()
}

// output returns what a command has written as text: without escape sequences, and without what it has overwritten.
func output(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(ansi.Strip(text), "\n")
	for i, l := range lines {
		l = strings.TrimRight(l, "\r")
		if at := strings.LastIndexByte(l, '\r'); at >= 0 {
			l = l[at+1:]
		}
		lines[i] = l
	}
	return terminal.Clean(strings.Join(lines, "\n"))
}
