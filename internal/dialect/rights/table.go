package rights

import (
	"fmt"
	"slices"
	"strings"
)

// A Need is what a request needs besides the level of its row.
type Need struct {
	Level Level
	// Path is a file or a folder, an absolute path, that the client must be able to reach, unless it is the user; "": none.
	Path string
	// Folder is a folder in which a session is to work: within that of the token, or of one of its sessions, unless the client is
	// the user; "": none. A relative one begins at Guard.Dir.
	Folder string
	// What names the part of the request that needs it, to follow the name of the method: "with servers".
	What string
}

// A Row is what a message of a client needs.
type Row struct {
	Method string
	Level  Level
	needs  func(params any) []Need // nil: nothing else
}

// Of returns the rows of messages that need a level, whatever their params are.
func Of(level Level, methods ...string) []Row {
	rows := make([]Row, len(methods))
	for i, m := range methods {
		rows[i] = Row{Method: m, Level: level}
	}
	return rows
}

// With returns the row of a message that needs a level, and what its params need. Params of another type, which would be a
// defect, need the user.
func With[P any](level Level, method string, needs func(P) []Need) []Row {
	return []Row{{method, level, func(params any) []Need {
		p, ok := params.(P)
		if !ok {
			return []Need{{Level: User}}
		}
		return needs(p)
	}}}
}

// A Table has a row for each message of a protocol.
type Table map[string]Row

// NewTable returns the table of these rows. It panics if a message has two.
func NewTable(groups ...[]Row) Table {
	t := Table{}
	for _, row := range slices.Concat(groups...) {
		if _, twice := t[row.Method]; twice || row.Level == 0 {
			panic("rights: " + row.Method + " has two rows, or no level")
		}
		t[row.Method] = row
	}
	return t
}

// Level returns the least level that a message needs; 0: there is no such message.
func (t Table) Level(method string) Level { return t[method].Level }

// Needs returns everything that a message needs; ok is false if there is no such message.
func (t Table) Needs(method string, params any) (needs []Need, ok bool) {
	row, ok := t[method]
	if !ok {
		return nil, false
	}
	needs = []Need{{Level: row.Level}}
	if row.needs != nil {
		needs = append(needs, row.needs(params)...)
	}
	return needs, true
}

// Compare returns the messages that have no row, and the rows that have no message.
func (t Table) Compare(messages []string) (missing, unused []string) {
	for _, m := range messages {
		if t.Level(m) == 0 {
			missing = append(missing, m)
		}
	}
	for m := range t {
		if !slices.Contains(messages, m) {
			unused = append(unused, m)
		}
	}
	return missing, unused
}

// A Refusal is why a client must not do what a message asks for.
type Refusal struct {
	Method string
	What   string   // the part of the message; "": all of it
	Path   string   // that the client cannot reach; "": it is not about one
	Folder string   // in which no session of the client may work; "": it is not about one
	Within []string // the folders of the token, if it is about Folder
	Needs  Level    // the least that is enough; of a request about Path or Folder by a client that can reach it
	Lacks  bool     // the client has less than Needs, and cannot reach Path or Folder
}

// Error returns what was refused, and the least that would allow it.
func (r *Refusal) Error() string {
	role := "the role " + r.Needs.String()
	var needs string
	switch {
	case r.Needs == User:
		needs = "a token with the role owner that is not limited to a folder or to sessions"
	case r.Lacks:
		needs = "a token with " + role + " for it, or with that role and not limited"
	case r.Folder != "" || r.Path != "":
		needs = "a token for it, or one that is not limited"
	default:
		needs = role
	}
	if r.Folder != "" {
		limit := "folder"
		if len(r.Within) != 1 {
			limit = "folders"
		}
		return fmt.Sprintf("the folder %s is outside of the %s of the token (%s): this needs %s", r.Folder, limit, strings.Join(r.Within, ", "), needs)
	}
	text := r.Method
	if r.What != "" {
		text += " " + r.What
	}
	if r.Path != "" {
		text += " outside the folder of the token"
	}
	return text + " needs " + needs
}
