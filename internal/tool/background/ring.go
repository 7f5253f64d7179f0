package background

import (
	"sync"
	"unicode/utf8"

	"parley.dev/parley/internal/tool/output"
)

// maxRing is how many characters of a stream are kept.
const maxRing = 120_000

// A Ring keeps the end of what a command writes, as valid UTF-8, and remembers what of it
// was read. It is safe for use by several goroutines.
type Ring struct {
	wrote func() // called when there is something new

	mu    sync.Mutex
	held  []byte        // the beginning of a rune
	line  output.Screen // what is not in text yet
	text  []byte        // what is kept, and up to a quarter more
	runes int           // in text
	first int64         // characters before text
	read  int64         // characters read, from the first ever
}

// Write never fails.
func (r *Ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	var whole []byte
	whole, r.held = output.SplitRunes(r.held, p)
	r.add(whole)
	r.mu.Unlock()
	r.wrote()
	return len(p), nil
}

// end is called when nothing is written any more.
func (r *Ring) end() {
	r.mu.Lock()
	r.add(r.held)
	r.held = nil
	r.settle()
	r.mu.Unlock()
	r.wrote()
}

func (r *Ring) add(text []byte) {
	before := len(r.text)
	r.text = r.line.Write(r.text, output.PlainText(text))
	r.grow(before)
}

// settle takes the last line as it is, though it may not be whole.
func (r *Ring) settle() {
	before := len(r.text)
	r.text = r.line.End(r.text)
	r.grow(before)
}

// grow counts what was added to text, and drops what is too old.
func (r *Ring) grow(before int) {
	r.runes += utf8.RuneCount(r.text[before:])
	if r.runes > maxRing+maxRing/4 {
		gone := skipRunes(r.text, r.runes-maxRing)
		r.text = r.text[:copy(r.text, r.text[gone:])]
		r.first += int64(r.runes - maxRing)
		r.runes = maxRing
	}
}

// skipRunes returns how many bytes the first n characters of text have.
func skipRunes(text []byte, n int) (bytes int) {
	for ; n > 0; n-- {
		_, size := utf8.DecodeRune(text[bytes:])
		bytes += size
	}
	return bytes
}

// A reading is what take got.
type reading struct {
	Text   string
	Missed int64 // characters before it that are lost, or with newest left out
	Left   int64 // characters after it
}

// Take returns what was not read yet, up to limit characters and room bytes: the oldest, or with
// newest the newest. It then counts as read, unless peek is set.
func (r *Ring) Take(limit, room int, newest, peek bool) reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settle()
	end := r.first + int64(r.runes)
	from := max(r.read, end-maxRing)
	if newest {
		from = max(from, end-int64(limit))
	}
	to := min(end, from+int64(limit))
	text := r.text[skipRunes(r.text, int(from-r.first)):]
	text = text[:skipRunes(text, int(to-from))]
	if over := len(text) - room; over > 0 && newest {
		for text = text[over:]; !utf8.RuneStart(text[0]); {
			text = text[1:]
		}
		from = to - int64(utf8.RuneCount(text))
	} else if over > 0 {
		text = output.WholeRunes(text[:room])
		to = from + int64(utf8.RuneCount(text))
	}
	got := reading{Text: string(text), Missed: from - r.read, Left: end - to}
	if !peek {
		r.read = to
	}
	return got
}

// Unread returns how many characters were not read yet, lost ones included.
func (r *Ring) Unread() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first + int64(r.runes+utf8.RuneCount(r.line.Line)) - r.read
}
