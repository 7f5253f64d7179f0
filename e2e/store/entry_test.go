//go:build linux

package store

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// The operations of writers.
const (
	opCreate  = "create"
	opLease   = "lease" // also of a journal that was released
	opAppend  = "append"
	opSync    = "sync"
	opRelease = "release"
	opClose   = "close"
	opRemove  = "remove"
	opRead    = "read"
	opFollow  = "follow" // one entry for each record
	opLost    = "lost"   // the lease was lost
	opFrame   = "frame"  // a message is published, as the driver reports it
	opRenew   = "renew"  // the key of the writer's host is published
	opReady   = "ready"  // the process is connected
	opClock   = "clock"  // the clock by which keys last steps
	// opInterrupted is logged when a mutant notices that its connection is interrupted.
	opInterrupted = "interrupted"
)

// The outcomes of operations. An operation without an end has an unknown outcome, too.
const (
	ack     = "ack"
	refused = "refused"
	unknown = "unknown"
)

// An entry is a line of a writer's log: the begin or the end of an operation.
type entry struct {
	Time    int64  `json:"time"` // nanoseconds of the machine's clock
	Writer  string `json:"writer"`
	Op      int    `json:"op,omitzero"` // number of the operation in its writer; its begin and end have the same
	Do      string `json:"do"`
	End     bool   `json:"end,omitzero"`
	Session string `json:"session,omitzero"`
	Outcome string `json:"outcome,omitzero"` // of an end
	Error   string `json:"error,omitzero"`
	Locked  string `json:"locked,omitzero"` // name of the writer that has the lease
	Missing bool   `json:"missing,omitzero"`
	Damaged bool   `json:"damaged,omitzero"` // records are damaged, or missing
	Removed bool   `json:"removed,omitzero"` // a session that is followed

	// First is the number of the first of the records Tokens; Head is that of the last record that is known
	// to be stored: after a sync, a lease, a read.
	First  uint64   `json:"first,omitzero"`
	Tokens []string `json:"tokens,omitzero"`
	Head   uint64   `json:"head,omitzero"`

	Frame *published `json:"frame,omitzero"`
}

// A published is one attempt to publish a frame.
type published struct {
	Kind     string `json:"kind"`
	ID       string `json:"id"`
	Owner    string `json:"owner"`
	Epoch    uint64 `json:"epoch"`
	Expected uint64 `json:"expected"`
	Any      bool   `json:"any,omitzero"` // no sequence was expected
	Sequence uint64 `json:"sequence,omitzero"`
}

func (e entry) String() string {
	text := fmt.Sprintf("%d.%06d %s #%d %s %s", e.Time/1e9%1000, e.Time/1000%1e6, e.Writer, e.Op, e.Do, e.Session)
	if f := e.Frame; f != nil {
		text += fmt.Sprintf(" %s %s of %s, epoch %d, after %d", f.Kind, f.ID, f.Owner, f.Epoch, f.Expected)
		if f.Sequence > 0 {
			text += fmt.Sprintf(", is %d", f.Sequence)
		}
	}
	if e.First > 0 {
		text += fmt.Sprintf(" records %d to %d", e.First, e.First+uint64(len(e.Tokens))-1)
	}
	if e.Head > 0 {
		text += fmt.Sprint(" head ", e.Head)
	}
	if e.End {
		text += ": " + e.Outcome
	}
	if e.Locked != "" {
		text += " locked by " + e.Locked
	}
	if e.Error != "" {
		text += " (" + e.Error + ")"
	}
	return text
}

// The content of a record follows from its token, WRITER-OPERATION-INDEX-SIZE, which begins it.

func newToken(writer string, op, index, size int) string {
	return fmt.Sprintf("%s-%d-%d-%d", writer, op, index, size)
}

// contentOf returns the content of the record of a token.
func contentOf(token string) string {
	size, _ := strconv.Atoi(token[strings.LastIndexByte(token, '-')+1:])
	var seed uint64
	for i := range len(token) {
		seed = seed*31 + uint64(token[i])
	}
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString(token + " ")
	for range size {
		b.WriteByte(byte('a' + random.IntN(26)))
	}
	return b.String()
}

// tokenOf returns the token of a record's content, which must be whole.
func tokenOf(content string) (string, error) {
	token, _, _ := strings.Cut(content, " ")
	if contentOf(token) != content {
		return token, fmt.Errorf("the content of %q is not what was appended", token)
	}
	return token, nil
}
