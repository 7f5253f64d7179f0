package codex

import (
	"context"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/event"
)

// renderDiff returns the notification of all changes of files of a turn, as git shows them.
func (c *conn) renderDiff(t *thread, turn event.TurnID) [][]byte {
	changed, err := t.session.Files().Changes(context.Background(), turn)
	if err != nil {
		c.cfg.Log.Error("changes not read", "thread", t.id, "error", err)
		return nil
	}
	var diff strings.Builder
	for _, f := range changed.Files {
		diff.WriteString(gitDiff(f.FileChange))
	}
	return c.announce("turn/diff/updated", TurnDiffUpdatedNotification{ThreadID: t.id, TurnID: string(turn), Diff: diff.String()})
}

// gitDiff returns a change with the head that git writes.
func gitDiff(f event.FileChange) string {
	name := filepath.ToSlash(strings.TrimPrefix(f.Path, "/"))
	head := "diff --git a/" + name + " b/" + name + "\n"
	switch f.Op {
	case event.Created:
		head += "new file mode 100644\n"
	case event.Deleted:
		head += "deleted file mode 100644\n"
	}
	diff := f.Diff
	if diff == "" && f.Added+f.Removed > 0 {
		diff = "Binary files differ\n"
	}
	if diff != "" && !strings.HasSuffix(diff, "\n") {
		diff += "\n"
	}
	return head + diff
}
