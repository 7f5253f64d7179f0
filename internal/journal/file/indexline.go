package file

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/lazy"
)

// A line of the index has a checksum of 8 hex digits, a space, a character that says what the line is, and its fields, separated by
// tabs. The checksum is that of all lines up to this one, so a line that is missing is noticed like one that is changed.
//
//	v  the first line: the version, and a random text that differs in each file
//	+  a session, inserted or updated
//	-  the id of a session that was removed
//	=  how far recent.jsonl was ingested, and a checksum of the last bytes of that; completes the lines before
const (
	versionMark  = 'v'
	sessionMark  = '+'
	removalMark  = '-'
	progressMark = '='

	indexVersion = "1"
	sumLen       = 8
)

var castagnoli = lazy.Value[*crc32.Table]{New: func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }}

// errDamaged reports that the index is not as it was written.
var errDamaged = errors.New("the index of sessions is damaged")

var errFields = errors.New("a line has another number of fields")

// appendLine appends a line with the body that add appends.
func (t *table) appendLine(b []byte, add func([]byte) []byte) []byte {
	start := len(b)
	b = append(b, "00000000 "...)
	b = append(add(b), '\n')
	t.sum = crc32.Update(t.sum, castagnoli.Get(), b[start+sumLen:])
	writeSum(b[start:start+sumLen], t.sum)
	return b
}

func writeSum(b []byte, sum uint32) {
	for i := range b {
		b[i] = "0123456789abcdef"[sum>>(4*(sumLen-1-i))&15]
	}
}

var (
	escaper   = lazy.Value[*strings.Replacer]{New: func() *strings.Replacer { return strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`) }}
	unescaper = lazy.Value[*strings.Replacer]{New: func() *strings.Replacer { return strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n") }}
)

func appendSummary(b []byte, s journal.Summary) []byte {
	b = append(b, sessionMark)
	b = appendText(b, string(s.ID))
	b = strconv.AppendBool(append(b, '\t'), s.Archived)
	b = strconv.AppendBool(append(b, '\t'), s.Failed)
	b = strconv.AppendInt(append(b, '\t'), int64(s.Turns), 10)
	b = strconv.AppendFloat(append(b, '\t'), s.Cost, 'g', -1, 64)
	b = s.Created.AppendFormat(append(b, '\t'), time.RFC3339Nano)
	b = s.Updated.AppendFormat(append(b, '\t'), time.RFC3339Nano)
	for _, text := range []string{string(s.Parent), s.Model, s.FirstModel, s.Workspace, s.Name, s.Title} {
		b = appendText(append(b, '\t'), text)
	}
	return b
}

func appendText(b []byte, text string) []byte {
	if strings.ContainsAny(text, "\\\t\n") {
		text = escaper.Get().Replace(text)
	}
	return append(b, text...)
}

func appendRemoval(b []byte, id event.SessionID) []byte {
	return appendText(append(b, removalMark), string(id))
}

func appendProgress(b []byte, p ingestProgress) []byte {
	b = strconv.AppendInt(append(b, progressMark), p.offset, 10)
	b = strconv.AppendUint(append(b, '\t'), uint64(p.tail), 16)
	return strconv.AppendBool(append(b, '\t'), p.retiredIngested)
}

func parseProgress(text string) (p ingestProgress, err error) {
	fields := strings.Split(text, "\t")
	if len(fields) != 3 {
		return p, errFields
	}
	var errs [3]error
	p.offset, errs[0] = strconv.ParseInt(fields[0], 10, 64)
	tail, err := strconv.ParseUint(fields[1], 16, 32)
	p.tail, errs[1] = uint32(tail), err
	p.retiredIngested, errs[2] = strconv.ParseBool(fields[2])
	return p, errors.Join(errs[:]...)
}

// readTable reads a whole file. It returns nil if the file has another version.
func readTable(r io.Reader) (t *table, torn bool, err error) {
	t = newTable()
	if torn, err = t.read(r); err == nil && t.header == "" {
		t = nil
	}
	return t, torn, err
}

// read applies further lines. It returns whether the last one is incomplete, which is not applied, errDamaged, or an error of r.
// The header stays "" if the file has another version.
func (t *table) read(r io.Reader) (torn bool, err error) {
	in := bufio.NewReaderSize(r, fullRead)
	var line []byte
	for {
		if line, err = readLine(in, line[:0]); err == io.EOF {
			if t.header == "" { // the first line is there when the file has its name
				return false, fmt.Errorf("%w: it has no first line", errDamaged)
			}
			return len(line) > 0, nil
		}
		if err != nil {
			return false, err
		}
		if len(line) < sumLen+3 {
			return false, fmt.Errorf("%w: a line is too short", errDamaged)
		}
		var sum [sumLen]byte
		next := crc32.Update(t.sum, castagnoli.Get(), line[sumLen:])
		if writeSum(sum[:], next); string(sum[:]) != string(line[:sumLen]) {
			return false, fmt.Errorf("%w: a line has another checksum", errDamaged)
		}
		switch body := string(line[sumLen+1 : len(line)-1]); { // the summary refers to it
		case t.header != "":
			if err := t.apply(body, int64(len(line))); err != nil {
				return false, err
			}
		case strings.HasPrefix(body, string(versionMark)+indexVersion+"\t"):
			t.header = string(line)
		default:
			return false, nil
		}
		t.sum = next
		t.size += int64(len(line))
	}
}

// readLine appends a line with its line feed to b. It returns io.EOF with what is left when there is no line feed.
func readLine(in *bufio.Reader, b []byte) ([]byte, error) {
	for {
		part, err := in.ReadSlice('\n')
		b = append(b, part...)
		if err != bufio.ErrBufferFull {
			return b, err
		}
	}
}

// apply applies the body of a line of some bytes.
func (t *table) apply(body string, size int64) error {
	mark, text := body[0], body[1:]
	switch mark {
	case sessionMark:
		s := t.alloc()
		if err := parseSummary(text, s); err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		t.put(s)
	case removalMark:
		t.remove(event.SessionID(unescaper.Get().Replace(text)))
	case progressMark:
		p, err := parseProgress(text)
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		if t.progress = p; !t.complete {
			t.complete, t.base = true, t.size+size
		}
	default:
		return fmt.Errorf("%w: a line is of no known kind", errDamaged)
	}
	return nil
}

func parseSummary(text string, s *journal.Summary) error {
	var fields [13]string
	for i := range fields {
		var more bool
		fields[i], text, more = strings.Cut(text, "\t")
		if more != (i < len(fields)-1) {
			return errFields
		}
		if strings.IndexByte(fields[i], '\\') >= 0 {
			fields[i] = unescaper.Get().Replace(fields[i])
		}
	}
	var err [6]error
	s.ID = event.SessionID(fields[0])
	s.Archived, err[0] = strconv.ParseBool(fields[1])
	s.Failed, err[1] = strconv.ParseBool(fields[2])
	s.Turns, err[2] = strconv.Atoi(fields[3])
	s.Cost, err[3] = strconv.ParseFloat(fields[4], 64)
	s.Created, err[4] = time.Parse(time.RFC3339Nano, fields[5])
	s.Updated, err[5] = time.Parse(time.RFC3339Nano, fields[6])
	s.Parent, s.Model, s.FirstModel = event.SessionID(fields[7]), fields[8], fields[9]
	s.Workspace, s.Name, s.Title = fields[10], fields[11], fields[12]
	return errors.Join(err[:]...)
}
