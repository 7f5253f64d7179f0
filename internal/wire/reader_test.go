package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// tooLong represents ErrLineTooLong in the lists of lines below: no line can be an LF.
const tooLong = "\n"

// readAll reads r to its end, and calls Next once more after it.
func readAll(t testing.TB, r *Reader) []string {
	t.Helper()
	var lines []string
	for {
		line, err := r.Next()
		switch {
		case err == nil:
			lines = append(lines, string(line))
		case errors.Is(err, ErrLineTooLong):
			lines = append(lines, tooLong)
		case err == io.EOF:
			if _, err := r.Next(); err != io.EOF {
				t.Fatalf("after the end: %v, want io.EOF", err)
			}
			return lines
		default:
			t.Fatal(err)
		}
		if most := r.limit + 5; cap(r.long) > most {
			t.Fatalf("buffer of %d bytes for a limit of %d", cap(r.long), r.limit)
		}
	}
}

func TestReader(t *testing.T) {
	tests := []struct {
		name, in string
		limit    int
		want     []string
	}{
		{"nothing", "", 9, nil},
		{"lines", "a\nb\n", 9, []string{"a", "b"}},
		{"last line without LF", "a\nb", 9, []string{"a", "b"}},
		{"CRLF", "a\r\nb\r\n", 9, []string{"a", "b"}},
		{"only one CR goes", "a\r\r\n", 9, []string{"a\r"}},
		{"CR at the end of input", "a\r", 9, []string{"a"}},
		{"CR inside", "a\rb\n", 9, []string{"a\rb"}},
		{"blank lines", "\n \t\r\n\r\na\n\n", 9, []string{"a"}},
		{"blank end", "a\n  ", 9, []string{"a"}},
		{"blanks around stay", " a \n", 9, []string{" a "}},
		{"byte order mark", "\uFEFFa\n\uFEFFb\n", 9, []string{"a", "\uFEFFb"}},
		{"byte order mark on a blank line", "\uFEFF\n\uFEFFb\n", 9, []string{"\uFEFFb"}},
		{"other line ends are text", "a\u2028b\vc\n", 20, []string{"a\u2028b\vc"}},
		{"invalid UTF-8 is not judged here", "\xff\n", 9, []string{"\xff"}},
		{"at the limit", "12345\n", 5, []string{"12345"}},
		{"line ends and mark do not count", "\uFEFF12345\r\n", 5, []string{"12345"}},
		{"over the limit", "123456\nb\n", 5, []string{tooLong, "b"}},
		{"over the limit by a CR", "12345\r\r\n", 5, []string{tooLong}},
		{"over the limit at the end", "a\n123456", 5, []string{"a", tooLong}},
		{"far over the limit", strings.Repeat("x", 1000) + "\nb", 5, []string{tooLong, "b"}},
		{"blank but over the limit", "       \nb", 5, []string{tooLong, "b"}},
		{"longer than a chunk", strings.Repeat("x", 3*readSize) + "\nb", 4 * readSize, []string{strings.Repeat("x", 3*readSize), "b"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for name, source := range map[string]io.Reader{
				"whole":        strings.NewReader(test.in),
				"byte by byte": iotest.OneByteReader(strings.NewReader(test.in)),
				"data and EOF": iotest.DataErrReader(strings.NewReader(test.in)),
			} {
				if diff := cmp.Diff(test.want, readAll(t, NewReader(source, test.limit))); diff != "" {
					t.Errorf("%s: (-want +got)\n%s", name, diff)
				}
			}
		})
	}
}

// An incomplete line before an error of the source is dropped: half a command is not a command.
// TestReaderGrows: the first line that is longer than the buffer makes it larger; nothing is lost then.
func TestReaderGrows(t *testing.T) {
	long := strings.Repeat("x", readSize)
	r := NewReader(strings.NewReader("a\n"+long+"\nb\n"+long+"\n"), 1<<20)
	if got := readAll(t, r); len(got) != 4 || got[0] != "a" || got[1] != long || got[2] != "b" || got[3] != long {
		t.Errorf("got %.60q", got)
	}
	if r.src.Size() != readSize {
		t.Errorf("reads %d bytes", r.src.Size())
	}
	short := NewReader(strings.NewReader(strings.Repeat("a\n", firstSize)), 1<<20)
	if readAll(t, short); short.src.Size() != firstSize {
		t.Errorf("with short lines it reads %d bytes", short.src.Size())
	}
}

func TestReaderSourceError(t *testing.T) {
	broken := errors.New("broken")
	r := NewReader(io.MultiReader(strings.NewReader("a\nhalf"), iotest.ErrReader(broken)), 9)
	if line, err := r.Next(); err != nil || string(line) != "a" {
		t.Fatalf("first line: %q, %v", line, err)
	}
	for range 2 {
		if line, err := r.Next(); err != broken || line != nil {
			t.Errorf("got %q, %v, want the source's error", line, err)
		}
	}
}

// endless reads as n bytes without an LF, then one LF.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	if e.n == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.n)
	for i := range p[:n] {
		p[i] = 'x'
	}
	if e.n -= n; e.n == 0 {
		p[n-1] = '\n'
	}
	return n, nil
}

func TestReaderMemory(t *testing.T) {
	const limit = 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := NewReader(io.MultiReader(&endless{n: 64 * limit}, strings.NewReader("next\n")), limit)
	if line, err := r.Next(); err != ErrLineTooLong || len(line) != maxPrefix {
		t.Fatalf("got %d bytes, %v, want %d and ErrLineTooLong", len(line), err, maxPrefix)
	}
	if cap(r.long) > maxPrefix {
		t.Errorf("still holds %d bytes of the discarded line", cap(r.long))
	}
	if line, err := r.Next(); string(line) != "next" {
		t.Fatalf("got %q, %v after the long line", line, err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 3*limit {
		t.Errorf("%d bytes allocated in all to discard a line, want at most %d", got, 3*limit)
	}
}

// ErrLineTooLong comes with the beginning of the line.
func TestReaderBeginning(t *testing.T) {
	long := `{"id":7,"text":"` + strings.Repeat("x", 3*readSize)
	for _, limit := range []int{10, maxPrefix, readSize, 2 * readSize} {
		r := NewReader(strings.NewReader("\uFEFF"+long+"\n"+long[:limit]+"\r\n"+long), limit)
		for i, tooLong := range []bool{true, false, true} {
			line, err := r.Next()
			if fits := err == nil && string(line) == long[:limit]; !tooLong && !fits {
				t.Errorf("limit %d, line %d: %d bytes, %v", limit, i, len(line), err)
			}
			least := min(maxPrefix, limit) - len(byteOrderMark)
			if tooLong && (err != ErrLineTooLong || len(line) < least || !strings.HasPrefix(long, string(line))) {
				t.Errorf("limit %d, line %d: %.20q, %d bytes, %v", limit, i, line, len(line), err)
			}
		}
	}
}

func TestReaderShrinks(t *testing.T) {
	r := NewReader(io.MultiReader(&endless{n: 4 * maxIdleBuffer}, strings.NewReader("next\n")), 4*maxIdleBuffer)
	if line, err := r.Next(); len(line) != 4*maxIdleBuffer-1 {
		t.Fatalf("%d bytes, %v", len(line), err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if cap(r.long) > maxIdleBuffer {
		t.Errorf("still holds %d bytes", cap(r.long))
	}
}

// pieces returns data in parts of the given sizes, repeatedly.
type pieces struct {
	data, sizes []byte
	reads       int
}

func (p *pieces) Read(buf []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	size := 1
	if len(p.sizes) > 0 {
		size = max(1, int(p.sizes[p.reads%len(p.sizes)]))
	}
	p.reads++
	n := copy(buf, p.data[:min(size, len(p.data))])
	p.data = p.data[n:]
	return n, nil
}

// split returns a simple implementation of a Reader, for comparison.
func split(data []byte, limit int) []string {
	var lines []string
	for i, line := range bytes.Split(data, []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		if i == 0 {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		switch {
		case len(line) > limit:
			lines = append(lines, tooLong)
		case len(bytes.Trim(line, " \t\r")) > 0:
			lines = append(lines, string(line))
		}
	}
	return lines
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("a\r\n\n \nb"), []byte{1, 2}, uint16(3))
	f.Add([]byte("\uFEFF{\"a\":1}\n"+strings.Repeat("x", 100)+"\nz\n"), []byte{7}, uint16(40))
	f.Add([]byte("1234\r\n12345\r\n\r12345"), []byte{255}, uint16(4))
	f.Add([]byte(strings.Repeat("\xff", 60)+"\r\r\n"), []byte{}, uint16(61))
	f.Add([]byte(strings.Repeat("x", 40)+"\n"), []byte{9}, uint16(40)) // doubling would overshoot
	f.Fuzz(func(t *testing.T, data, sizes []byte, limit uint16) {
		source := &pieces{data: data, sizes: sizes}
		r := NewReader(source, int(limit))
		r.src, r.size = bufio.NewReaderSize(source, 16), 16+int(limit)%3*16 // so that most lines outgrow it
		if diff := cmp.Diff(split(data, int(limit)), readAll(t, r)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}
