package dialecttest

import (
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
)

// A TriedLine is a line of a client, and what it needs.
type TriedLine struct {
	Line  string // $in is a folder that the client can reach, $out one that it cannot
	Level rights.Level
	Path  bool // it needs that for a path, which is no matter for the audit log of the user
}

// CheckRights checks that each message has a row and each row a message, and what lines need: a client of each level sends them,
// limited to a folder, but for the user.
func CheckRights(t *testing.T, table rights.Table, messages []string, guard func(*rights.Client, *engine.Host) *rights.Guard, lines ...TriedLine) {
	t.Helper()
	if missing, unused := table.Compare(messages); len(missing)+len(unused) > 0 {
		t.Errorf("messages without a row: %q; rows without a message: %q", missing, unused)
	}
	in, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	for level := rights.Viewer; level <= rights.User; level++ {
		access := engine.Access{Within: in}
		if level == rights.User {
			access.Within = ""
		}
		host := engine.NewHost(engine.Config{}).For(access)
		var entries []rights.Entry
		client := rights.New(level.Role(), host, func(e rights.Entry) { entries = append(entries, e) })
		refused := 0
		g := guard(client, host)
		g.Refuse = func(rights.Message, *rights.Refusal) { refused++ }
		for _, l := range lines {
			line := strings.NewReplacer("$in", in, "$out", out).Replace(l.Line)
			entries, refused = nil, 0
			if permitted := g.Permits([]byte(line)); permitted != (level >= l.Level) || permitted != (refused == 0) {
				t.Errorf("%s: %s as %s: permitted %t, refused %d times", l.Level, line, level, permitted, refused)
			}
			if problem := refused > 0; problem && (len(entries) == 0 || entries[0].Problem == "") {
				t.Errorf("%s as %s is refused, and not in the audit log: %+v", line, level, entries)
			} else if !problem && l.Level == rights.User && !l.Path && len(entries) != 1 {
				t.Errorf("%s as %s is not in the audit log: %+v", line, level, entries)
			}
		}
	}
}
