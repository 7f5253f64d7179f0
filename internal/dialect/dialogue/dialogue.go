// Package dialogue has, for each dialect, what a small client sends and what it looks for in the lines that it gets, as
// data. The demo, the bench and the soak are such clients.
package dialogue

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// A Dialect is a protocol as a small client speaks it. What is sent is a line, or several with line feeds between them, and has
// places:
//
//	$SESSION  the session
//	$N        a number that was not used before
//	$DIR      the workspace
//	$TEXT     the text of the prompt, a JSON string
//	$ASK      what is answered
type Dialect struct {
	Name string
	Args []string // after the program's name
	Free []string // after those: so that no call waits for an answer

	Hello []string // is sent as the program starts
	First Marks    // of the first line that says that it is ready; none: any line

	Open    string // opens a session, with all that a client sends for that; "": there is one, and no other
	Opened  Field  // the id in the answer to it
	Main    string // the id of the session that is there from the start
	Counted bool   // every number is a session, without opening

	Prompt string
	Delta  Marks // of a line with text of the model
	Text   Field // that text

	Ended     Marks // of the end of a turn
	EndedIn   Field // the session whose turn ended
	Completed Marks // of the end of a turn that has come to its end; none: Ended does not say
	Failed    Marks // of a line that says that something failed

	Asks   Marks // of a line that asks whether a call may run; none: the user is not asked
	Asking Field // what is asked
	Allow  string

	Clear     string // forgets the history of a session; "": there is no such line
	Compacted Marks  // of a history that was summarised
}

// Marks are texts that a line has, all of them, if it is the line that is meant.
type Marks []string

// In reports whether a line has all of them.
func (m Marks) In(line []byte) bool {
	for _, mark := range m {
		if !bytes.Contains(line, []byte(mark)) {
			return false
		}
	}
	return true
}

// A Field is the text before a value in a line; the value ends before the next quote, or, if it is a number, before
// the next comma or brace.
type Field string

// Of returns the value of a field.
func (f Field) Of(line []byte) ([]byte, bool) {
	_, rest, found := bytes.Cut(line, []byte(f))
	ends := `"`
	if strings.HasSuffix(string(f), ":") {
		ends = `",}`
	}
	if end := bytes.IndexAny(rest, ends); found && end >= 0 {
		return rest[:end], true
	}
	return nil, false
}

// A Client is the state of one client: what its lines are filled with.
type Client struct {
	Dialect
	Session string // that prompts go to
	Dir     string // the workspace
	Last    int    // the last number that was used
}

// Fill returns a line with its places filled.
func (c *Client) Fill(line, text string) string {
	if strings.Contains(line, "$N") {
		c.Last++
	}
	quoted, _ := json.Marshal(text) // of a string: cannot fail
	return strings.NewReplacer("$SESSION", c.Session, "$N", strconv.Itoa(c.Last), "$DIR", c.Dir, "$TEXT", string(quoted)).Replace(line)
}

// Enter makes the session current whose id is in the answer to Open.
func (c *Client) Enter(answer []byte) {
	id, _ := c.Opened.Of(answer)
	c.Session, _, _ = strings.Cut(string(id), " ")
}

// Allows returns the line that allows what a line asks; false if it asks nothing.
func (c *Client) Allows(line []byte) (string, bool) {
	if c.Asks == nil || !c.Asks.In(line) {
		return "", false
	}
	id, _ := c.Asking.Of(line)
	return strings.ReplaceAll(c.Fill(c.Allow, ""), "$ASK", string(id)), true
}

// Named returns the dialect of that name.
func Named(name string) (Dialect, bool) {
	i := slices.IndexFunc(All, func(d Dialect) bool { return d.Name == name })
	if i < 0 {
		return Dialect{}, false
	}
	return All[i], true
}
