package hosts

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json"
)

// tokenSize is the size of the pieces of which texts and outputs in the scripts of these tests consist: seven digits and a
// byte more. They are numbered from 0 on within a text or an output.
const tokenSize = 8

// transientKinds are the transient records that these tests follow.
var transientKinds = []string{"text_delta", "thinking_delta", "tool_output"}

// A contract checks what a client was sent of one session against what docs/native.md promises to followers, record by record.
type contract struct {
	t        testing.TB
	client   string
	session  string
	complete bool // the client was never disconnected: no transient record is missing

	records []record          // the durable ones
	parts   map[string]*parts // by the message and block, or call, that they belong to
	ended   map[string]bool   // turns
	failed  bool
	deltas  int
}

// Parts are pieces of a text or an output.
type parts struct {
	next  int // the number of the next piece that may come
	grown int // how many pieces the answer_grew records so far have
	ended bool
}

func newContract(t testing.TB, client, session string, complete bool) *contract {
	return &contract{t: t, client: client, session: session, complete: complete, parts: map[string]*parts{}, ended: map[string]bool{}}
}

// check checks all records of the session among those that a client was sent.
func (c *contract) check(all []entry) {
	for _, e := range all {
		if e.Session == c.session {
			c.apply(e.Record)
		}
	}
}

// fail reports the first violation.
func (c *contract) fail(format string, args ...any) {
	if !c.failed {
		c.failed = true
		c.t.Errorf("%s, session %s, after record %d: %s", c.client, c.session, len(c.records), fmt.Sprintf(format, args...))
	}
}

// checkedKinds are the records whose data is checked.
var checkedKinds = append([]string{"tool_started", "answer_grew", "assistant_message", "tool_ended", "turn_ended"}, transientKinds...)

// recordData is what the data of records have that is checked.
type recordData struct {
	ID      string `json:"id"`      // of an assistant_message
	Message string `json:"message"` // of deltas and answer_grew
	Block   int    `json:"block"`
	Call    string `json:"call"`
	Text    string `json:"text"`
	Blocks  []struct {
		Text string `json:"text"`
	} `json:"blocks"`
	Pieces []struct {
		Block int    `json:"block"`
		Text  string `json:"text"`
	} `json:"pieces"`
}

func (c *contract) apply(r record) {
	if r.Seq > 0 {
		if want := len(c.records) + 1; r.Seq != want {
			c.fail("record %d comes where %d should", r.Seq, want)
		}
		c.records = append(c.records, r)
	}
	if !slices.Contains(checkedKinds, r.Kind) {
		return
	}
	var d recordData
	if err := json.Unmarshal(r.Data, &d); err != nil {
		c.fail("%s: %v", r.Kind, err)
	}
	switch r.Kind {
	case "text_delta", "thinking_delta":
		c.deltas++
		c.piece(r, blockKey(r, d.Message, d.Block), d.Text)
	case "tool_started":
		c.of(r.Turn + d.Call)
	case "tool_output":
		c.deltas++
		if c.parts[r.Turn+d.Call] == nil {
			c.fail("output of the call %s before its tool_started", d.Call)
		}
		c.piece(r, r.Turn+d.Call, d.Text)
	case "answer_grew":
		for _, p := range d.Pieces {
			c.grow(blockKey(r, d.Message, p.Block), p.Text)
		}
	case "assistant_message":
		for i, b := range d.Blocks {
			c.end(blockKey(r, d.ID, i), len(b.Text)/tokenSize)
		}
	case "tool_ended":
		c.end(r.Turn+d.Call, -1)
	case "turn_ended":
		c.ended[r.Turn] = true
	}
}

// blockKey returns the key of a block of a message. A host that takes a session over gives the id of a message of which nothing was
// stored again, in a later turn.
func blockKey(r record, message string, block int) string {
	return fmt.Sprint(r.Turn, message, "/", block)
}

func (c *contract) of(key string) *parts {
	p := c.parts[key]
	if p == nil {
		p = &parts{}
		c.parts[key] = p
	}
	return p
}

// numbers returns the number of the first piece of a text, and that after the last.
func (c *contract) numbers(text, kind string) (first, after int) {
	if len(text)%tokenSize != 0 || text == "" {
		c.fail("%s has the text %q", kind, text)
		return 0, 0
	}
	first, err := strconv.Atoi(text[:tokenSize-1])
	if err != nil {
		c.fail("%s has the text %q", kind, text)
	}
	for n := range len(text) / tokenSize {
		if piece := text[n*tokenSize:][:tokenSize-1]; piece != fmt.Sprintf("%07d", first+n) {
			c.fail("%s has %s where %d should be", kind, piece, first+n)
		}
	}
	return first, first + len(text)/tokenSize
}

// piece applies a transient piece of a text or an output.
func (c *contract) piece(r record, key, text string) {
	p, kind := c.of(key), r.Kind
	first, after := c.numbers(text, kind)
	switch {
	case c.ended[r.Turn]:
		c.fail("%s of the turn %s after its end", kind, r.Turn)
	case p.ended:
		c.fail("%s with piece %d of %s after the end of that", kind, first, key)
	case first < p.next:
		c.fail("%s with piece %d of %s after piece %d", kind, first, key, p.next-1)
	case c.complete && first > p.next:
		c.fail("%s with piece %d of %s where %d should be", kind, first, key, p.next)
	}
	p.next = after
}

// grow applies pieces of a durable record that follows their transient ones.
func (c *contract) grow(key, text string) {
	p := c.of(key)
	first, after := c.numbers(text, "answer_grew")
	switch {
	case first != p.grown:
		c.fail("answer_grew with piece %d of %s where %d should be", first, key, p.grown)
	case c.complete && after > p.next:
		c.fail("answer_grew with piece %d of %s overtakes piece %d", after-1, key, p.next)
	case p.next > after:
		c.fail("piece %d of %s overtakes answer_grew with %d", p.next-1, key, after-1)
	}
	p.grown, p.next = after, max(p.next, after)
}

// end applies the record that ends a text or an output. Count is how many pieces it has; -1: it is not known.
func (c *contract) end(key string, count int) {
	p := c.of(key)
	if c.complete && count >= 0 && p.next != count {
		c.fail("%s ends with %d pieces after %d", key, count, p.next)
	}
	p.ended = true
}
