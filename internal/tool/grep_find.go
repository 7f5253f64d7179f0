package tool

import (
	"bytes"
	"context"
	"iter"
	"unicode/utf8"
)

// maxSpans is how many matches of one file count in multiline mode.
const maxSpans = 1 << 20

// A span is whole lines of a text: from the first byte of the first to after the
// newline of the last.
type span struct{ start, end int }

// matches returns the matching lines of text in order, without overlap, until ctx ends. Each
// span is one line, or in multiline mode all lines that a match touches.
func (f *finder) matches(ctx context.Context, text []byte) iter.Seq[span] {
	if f.multiline {
		return f.spanning(ctx, text)
	}
	return func(yield func(span) bool) {
		for from := 0; from < len(text) && ctx.Err() == nil; {
			end := lineEnd(text, min(from+f.piece(), len(text))-1)
			for from < end {
				line, ok := f.next(ctx, text[:end], from)
				if !ok {
					break
				}
				if !yield(line) {
					return
				}
				from = line.end
			}
			from = end
		}
	}
}

// next returns the first matching line at or after from, where a line begins.
func (f *finder) next(ctx context.Context, text []byte, from int) (span, bool) {
	if len(f.literal) == 0 {
		at := f.find(ctx, text[from:])
		if at == nil || behindLast(text, from+at[0]) {
			return span{}, false
		}
		return lineAround(text, from+at[0]), true
	}
	for from < len(text) {
		at := bytes.Index(text[from:], f.literal)
		if at < 0 {
			break
		}
		line := lineAround(text, from+at)
		if f.find(ctx, bytes.TrimSuffix(text[line.start:line.end], []byte("\n"))) != nil {
			return line, true
		}
		from = line.end
	}
	return span{}, false
}

// spanning returns matches in multiline mode. Matches that touch the same line are one span.
func (f *finder) spanning(ctx context.Context, text []byte) iter.Seq[span] {
	return func(yield func(span) bool) {
		var last span
		for at := range f.all(ctx, text) {
			if behindLast(text, at[0]) {
				break
			}
			lines := span{lineAround(text, at[0]).start, lineEnd(text, max(at[0], at[1]-1))}
			if lines.start < last.end {
				last.end = max(last.end, lines.end)
				continue
			}
			if last.end > 0 && !yield(last) {
				return
			}
			last = lines
		}
		if last.end > 0 {
			yield(last)
		}
	}
}

// all returns the matches in text, without overlap, as Regexp.FindAllIndex finds them, until ctx ends.
func (f *finder) all(ctx context.Context, text []byte) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		last := -1 // the end of the match before
		for from, n := 0, 0; from <= len(text) && n < maxSpans; n++ {
			at := f.after(ctx, text, from)
			if at == nil {
				return
			}
			if empty := at[0] == at[1]; !empty || at[0] != last {
				if !yield(at) {
					return
				}
			}
			last, from = at[1], at[1]
			if at[0] == at[1] {
				_, size := utf8.DecodeRune(text[from:])
				from += max(size, 1)
			}
		}
	}
}

// behindLast reports whether at is after the newline of the last line, where an empty match
// belongs to no line.
func behindLast(text []byte, at int) bool {
	return at == len(text) && (at == 0 || text[at-1] == '\n')
}

// lineAround returns the line that the byte at belongs to; at may be the end of a last line
// without newline.
func lineAround(text []byte, at int) span {
	return span{bytes.LastIndexByte(text[:at], '\n') + 1, lineEnd(text, at)}
}

// lineEnd returns where the line of the byte at ends, after its newline.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}
