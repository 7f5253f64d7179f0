package rights

import "path/filepath"

// A Guard decides which lines of a client reach its protocol.
type Guard struct {
	Client *Client // nil: all lines do
	Table  Table
	Dir    string // where relative folders of the protocol begin; "": it has none
	// Read returns the messages of a line, as the protocol understands it. A line that it refuses by itself has none.
	Read func(line []byte) []Message
	// Refuse answers a message in the form of the protocol.
	Refuse func(Message, *Refusal)
}

// A Message is one that a client has sent.
type Message struct {
	Method  string // its row in the table
	Params  any    // as the functions of the row have it
	Session string // for the audit log; "": none
	Origin  any    // as Guard.Refuse needs it
}

// Permits reports whether a line may be handled. If not, each of its messages was refused: those of a line are handled
// together or not at all. A message without a row reaches the protocol, which does not know it either.
func (g *Guard) Permits(line []byte) bool {
	if g == nil || g.Client == nil {
		return true
	}
	messages := g.Read(line)
	var refusal *Refusal
	owners := make([]bool, len(messages))
	for i, m := range messages {
		needs, _ := g.Table.Needs(m.Method, m.Params)
		for j, n := range needs {
			if n.Folder != "" && g.Dir != "" && !filepath.IsAbs(n.Folder) {
				needs[j].Folder = filepath.Join(g.Dir, n.Folder)
			}
		}
		if r := g.Client.Check(m.Method, needs...); r != nil && refusal == nil {
			refusal = r
		}
		for _, n := range needs {
			owners[i] = owners[i] || n.Level >= Owner
		}
	}
	for i, m := range messages {
		switch {
		case refusal != nil:
			g.Client.Refused(refusal, m.Session)
			g.Refuse(m, refusal)
		case owners[i]:
			g.Client.write(Entry{Method: m.Method, Session: m.Session})
		}
	}
	return refusal == nil
}
