package session

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// cutResults applies e, also to results that the head of the history is moved back to. Results that
// are not in memory are not looked for.
func (f *Fold) cutResults(e event.ResultsCut) {
	if f.Incomplete {
		return
	}
	last := f.LastCalls()
	calls := map[event.CallID]model.Call{}
	for _, entry := range f.Entries {
		for _, c := range entry.Message.Calls() {
			calls[event.CallID(c.ID)] = c
		}
	}
	for _, cut := range e.Results {
		r, ok := f.Results[cut.Call]
		if !ok {
			continue
		}
		before := ResultBytes(r)
		if cut.Keep > 0 {
			r.Text = CutMiddle(r.Text, cut.Keep, "left out: the results of this step did not fit into the context window; ask for less at once")
		} else {
			c := calls[cut.Call]
			r.Images = nil
			r.Text = fmt.Sprintf("[result of %s%s, %d bytes, dropped to make room: call it again if you need it]", c.Name, argument(c.Input), before)
		}
		f.Results[cut.Call] = r
		freed := before - ResultBytes(r)
		f.Bytes -= freed
		if slices.Contains(last, cut.Call) {
			f.BytesSince -= freed
		} else {
			f.Measured = 0 // what was counted had it
		}
	}
}

// LastCalls returns the calls of the last answer.
func (f *Fold) LastCalls() (ids []event.CallID) {
	for _, e := range slices.Backward(f.Entries) {
		if e.Message.Role != model.Assistant {
			continue
		}
		for _, c := range e.Message.Calls() {
			ids = append(ids, event.CallID(c.ID))
		}
		break
	}
	return ids
}

// argument returns the first text of an input, after a space, in at most 80 bytes; "" if it has none.
func argument(input jsontext.Value) string {
	dec := jsontext.NewDecoder(bytes.NewReader(input))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return ""
		}
		if kind, n := dec.StackIndex(dec.StackDepth()); token.Kind() == '"' && (kind != '{' || n%2 == 0) {
			return " " + shortArgument(token.String())
		}
	}
}

// shortArgument returns the first line of text, in at most 80 bytes.
func shortArgument(text string) string {
	line, _, more := strings.Cut(text, "\n")
	if len(line) > 80 {
		line, more = strings.ToValidUTF8(line[:80], ""), true
	}
	if more {
		line += "…"
	}
	return line
}
