package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/gitroot"
	"parley.dev/parley/internal/lazy"
)

// This file describes to models where they work and what they may do there. The description is
// recorded with the first turn, and stays the same until a compaction, or until a process opens the
// session on another day: a prompt that changes makes providers read the whole context again.

// currentEnvironment returns what a system prompt says that is written now. It runs under the
// session's lock.
func (s *Session) currentEnvironment() *event.Environment {
	st := &s.fold.State
	return &event.Environment{
		Date: s.host.cfg.Now().Format("2006-01-02"), Git: gitState(st.Dir()), Permissions: s.permissions(st.Settings, s.attended()),
	}
}

// renewedEnvironment returns the environment that the next turn has to record; nil: none, the one before
// holds. It runs under the session's lock.
func (s *Session) renewedEnvironment() *event.Environment {
	known := s.fold.Environment
	if known != nil && !s.fold.RenewEnvironment && (s.opened.begun || known.Date == s.host.cfg.Now().Format("2006-01-02")) {
		return nil
	}
	return s.currentEnvironment()
}

// gitHead matches a file HEAD: the branch, or the commit.
var gitHead = lazy.Regexp{Expr: `^(?:ref: refs/heads/([!-~]+)|([0-9a-f]{7})[0-9a-f]+)\n?$`}

// maxBranch is the length of a branch's name, in bytes, that the environment shows.
const maxBranch = 200

// gitState describes the repository of dir from its files alone: git itself may run programs that
// the repository names. It returns "" where there is none.
func gitState(dir string) string {
	root, in := gitroot.Find(dir)
	if !in {
		return ""
	}
	git := filepath.Join(root, ".git")
	head, err := readCapped(filepath.Join(git, "HEAD"), 1<<10)
	if err != nil { // of a worktree: a file that names the folder
		link, _ := readCapped(git, 4<<10)
		folder, _ := strings.CutPrefix(strings.TrimSpace(link), "gitdir: ")
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(root, folder)
		}
		head, _ = readCapped(filepath.Join(folder, "HEAD"), 1<<10)
	}
	switch found := gitHead.Get().FindStringSubmatch(head); {
	case found == nil, len(found[1]) > maxBranch:
		return "a repository"
	case found[1] != "":
		return "on branch " + found[1]
	default:
		return "detached at " + found[2]
	}
}

const (
	maxChanges     = 20                     // files that the system prompt names
	maxChangesText = 2 << 10                // bytes of them
	changesTime    = 500 * time.Millisecond // how long the turn waits for them
)

// noteChanges records which files were not committed when the environment was recorded, if this turn did that.
func (t *turn) noteChanges(ctx context.Context) {
	s := t.s
	s.mu.Lock()
	dir, wanted := s.fold.State.Dir(), s.host.cfg.Changes != nil && t.described && s.fold.Environment.Git != "" && s.fold.Uncommitted == ""
	s.mu.Unlock()
	if !wanted {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, changesTime)
	defer cancel()
	changes, err := s.host.cfg.Changes(ctx, dir)
	if err != nil {
		s.host.cfg.Log.Debug("changed files are not known", "folder", dir, "error", err)
	}
	if len(changes) > 0 {
		t.append(event.ContextNote{Topic: event.NoteChanges, Text: changesText(changes)})
	}
}

// changesText returns a list of files for the system prompt.
func changesText(changes []string) string {
	var b strings.Builder
	for i, change := range changes {
		if strings.ContainsFunc(change, func(r rune) bool { return !unicode.IsPrint(r) }) {
			change = strconv.Quote(change)
		}
		if i == maxChanges || b.Len()+len(change) > maxChangesText {
			fmt.Fprintf(&b, "… and %d more\n", len(changes)-i)
			break
		}
		b.WriteString(change + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// unattended ends a sentence about calls that need an approval.
const unattended = " need an approval, and no client can give one: do not try them, but report what should be done."

// permissions describes in a line or two what the mode and the sandbox of settings allow; attended reports
// whether a client can approve the rest.
func (s *Session) permissions(settings event.Settings, attended bool) string {
	needs := " need the user's approval."
	if !attended {
		needs = unattended
	}
	return s.approvals().Describe(settings, needs)
}

// permissionNote returns the message for the model that the user has changed the mode or the sandbox since the
// last request; nil: nothing has changed. It runs under the session's lock.
func (s *Session) permissionNote(attended bool) *event.ContextNote {
	if s.fold.Environment == nil || s.fold.Incomplete {
		return nil
	}
	last := s.fold.Environment.Permissions
	for _, e := range s.fold.Entries {
		if e.Note != nil && e.Note.Topic == event.NotePermissions && e.Seq > s.fold.EnvironmentSeq {
			last = e.Note.Permissions
		}
	}
	settings := s.fold.State.Settings
	now := s.permissions(settings, attended)
	if now == last {
		return nil
	}
	change := "The permissions changed."
	if _, byMode := s.approvals().(ApproveByMode); byMode && settings.Mode != "" {
		change = fmt.Sprintf("The user switched to the mode %s.", settings.Mode)
	}
	return &event.ContextNote{
		Topic: event.NotePermissions, Permissions: now, Text: fmt.Sprintf("[%s From now on: %s]", change, now),
	}
}

// notePermissions records what the user has changed while the turn runs; what changed before is recorded
// before the prompt, so that the prompt is the last that the model reads.
func (t *turn) notePermissions() {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if note := t.s.permissionNote(t.attended); note != nil {
		t.s.log.Append(t.id, *note)
	}
}
