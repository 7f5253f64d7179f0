package jetstream

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/stream"
)

// entryVersion is the version of the headers. Unknown headers are ignored.
const entryVersion = 1

// The headers of an entry.
const (
	headerVersion = "Parley-V"
	headerEntry   = "Parley-Entry" // STORE.COUNTER, unique
	headerAfter   = "Parley-After" // the number of the entry before in the log; 0: there is none
	headerHash    = "Parley-Hash"  // SHA-256 of the data, in hex
)

var token = lazy.Regexp{Expr: `^[A-Za-z0-9_-]{1,100}$`}

// subjectOf returns the subject of a log, or of all logs of a batch.
func subjectOf(n stream.Namespace, log batch.Log) (string, error) {
	switch {
	case !token.Get().MatchString(log.Batch), log.Task != "" && !token.Get().MatchString(log.Task), (log.Kind == batch.TaskLog) != (log.Task != ""):
	case log.Kind == "":
		return n.Batch(log.Batch), nil
	case log.Kind == batch.TaskLog:
		return n.TaskLog(log.Batch, string(log.Kind), log.Task), nil
	case log.Kind == batch.DefinitionLog, log.Kind == batch.CancelLog, log.Kind == batch.LedgerLog:
		return n.BatchLog(log.Batch, string(log.Kind)), nil
	}
	return "", fmt.Errorf("%+v is no log", log)
}

// logOf returns the log of a subject; false: it is that of no log.
func logOf(subject string) (log batch.Log, ok bool) {
	parts := strings.Split(subject, ".") // NS.bt.BATCH.KIND[.TASK]
	if len(parts) != 4 && len(parts) != 5 {
		return log, false
	}
	log = batch.Log{Batch: parts[2], Kind: batch.LogKind(parts[3])}
	if len(parts) == 5 {
		log.Task = parts[4]
	}
	same, err := subjectOf(stream.Namespace{Name: parts[0]}, log)
	return log, err == nil && same == subject
}

// newMessage returns the message of an entry of a log that can be written.
func (s *Store) newMessage(n stream.Namespace, log batch.Log, after uint64, data []byte) (*stream.Message, error) {
	subject, err := subjectOf(n, log)
	switch {
	case err != nil:
		return nil, err
	case log.Kind == "":
		return nil, fmt.Errorf("%+v is no log that can be written", log)
	case len(data) > batch.MaxEntry:
		return nil, fmt.Errorf("an entry of %d bytes is larger than %d", len(data), batch.MaxEntry)
	}
	sum := sha256.Sum256(data)
	return &stream.Message{Subject: subject, Data: data, Header: map[string]string{
		headerVersion: strconv.Itoa(entryVersion),
		headerEntry:   fmt.Sprintf("%s.%d", s.id, s.entries.Add(1)),
		headerAfter:   strconv.FormatUint(after, 10),
		headerHash:    hex.EncodeToString(sum[:]),
		headerLedger:  strconv.FormatUint(s.memory.number(ledgerOf(n, log.Batch)), 10),
	}}, nil
}

// isSame returns a function that reports whether a stored message is m.
func isSame(m *stream.Message) func(*stream.Message) bool {
	return func(found *stream.Message) bool { return found.Header[headerEntry] == m.Header[headerEntry] }
}

// decode returns the entry in a message, and the number of the one before.
func decode(m *stream.Message) (e batch.Entry, after uint64, err error) {
	fail := func(reason string) (batch.Entry, uint64, error) {
		return batch.Entry{}, 0, fmt.Errorf("entry %d of %s: %s", m.Seq, m.Subject, reason)
	}
	version, err := strconv.Atoi(m.Header[headerVersion])
	if err != nil {
		return fail("it has no version")
	}
	if version > entryVersion {
		return fail(fmt.Sprintf("it has version %d, and this program knows versions up to %d: use a newer parley", version, entryVersion))
	}
	if after, err = strconv.ParseUint(m.Header[headerAfter], 10, 64); err != nil || after >= m.Seq {
		return fail("the number of the entry before is wrong")
	}
	if sum := sha256.Sum256(m.Data); hex.EncodeToString(sum[:]) != m.Header[headerHash] {
		return fail("its content was changed")
	}
	log, ok := logOf(m.Subject)
	if !ok {
		return fail("its subject is that of no log")
	}
	return batch.Entry{Log: log, Number: m.Seq, Time: m.Time.UTC(), Data: m.Data}, after, nil
}
