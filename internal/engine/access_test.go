package engine

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley.dev/parley/internal/event"
)

// TestAccess: what is outside the access of a caller is not there for it, and nothing can be made there.
func TestAccess(t *testing.T) {
	b := newBench(t, nil, say("ok"), say("ok"))
	h := b.onDisk(t, t.TempDir())
	h.cfg.Sharing = &Sharing{}
	inside, outside := resolved(t, t.TempDir()), resolved(t, t.TempDir())
	made := map[string]*Session{}
	for id, dir := range map[event.SessionID]string{"in": inside, "out": outside} {
		s, err := h.Create(t.Context(), NewSession{ID: id, Workspace: dir, Settings: event.Settings{Model: "test"}}, b.options())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		made[string(id)] = s
	}
	for name, access := range map[string]Access{"of a session": {Sessions: []event.SessionID{"in"}}, "of a folder": {Within: inside}} {
		limited := h.For(access)
		check := func(state string) {
			t.Helper()
			if page, err := limited.List(t.Context(), Query{Count: true}); err != nil || len(page.Sessions) != 1 || page.Total != 1 || page.Sessions[0].ID != "in" {
				t.Errorf("%s, %s: listed %+v, %v", name, state, page, err)
			}
			if page, err := limited.List(t.Context(), Query{IDs: []event.SessionID{"out"}}); err != nil || len(page.Sessions) != 0 {
				t.Errorf("%s, %s: listed %+v, %v", name, state, page, err)
			}
			if limited.Exists(t.Context(), "out") || !limited.Exists(t.Context(), "in") {
				t.Errorf("%s, %s: the wrong sessions exist", name, state)
			}
			for what, err := range map[string]error{
				"Open": failed(limited.Open(t.Context(), "out", b.options())), "View": failed(limited.View(t.Context(), "out", b.options())),
				"Session": failed(limited.Session("out")), "Remove": limited.Remove(t.Context(), "out"),
				"Fork": failed(limited.Fork(t.Context(), "out", 0, NewSession{ID: "in"}, b.options())),
				"Blob": failed(limited.Blob(t.Context(), "out", "sha256-x")),
			} {
				if !errors.Is(err, ErrNoSession) {
					t.Errorf("%s, %s: %s: %v", name, state, what, err)
				}
			}
			for _, err := range limited.Read(t.Context(), "out") {
				if !errors.Is(err, ErrNoSession) {
					t.Errorf("%s, %s: read: %v", name, state, err)
				}
			}
		}
		if n := limited.OpenSessions(); n != 1 {
			t.Errorf("%s: %d sessions are open", name, n)
		}
		check("open")
		if _, err := limited.Create(t.Context(), NewSession{ID: "new", Workspace: outside}, b.options()); !errors.Is(err, ErrOutside) {
			t.Errorf("%s: a new session: %v", name, err)
		}
	}
	for _, s := range made {
		closed(t, s)
	}
	limited := h.For(Access{Within: inside})
	v, err := limited.View(t.Context(), "in", b.options())
	if err == nil {
		err = v.Close(t.Context())
	}
	if err != nil {
		t.Error(err)
	}
	if !slices.Contains([]error{ErrNoSession}, failed(limited.Open(t.Context(), "out", b.options()))) {
		t.Error("a closed session outside is opened")
	}
}

func failed[T any](_ T, err error) error { return err }

func resolved(t *testing.T, dir string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// TestAccessFolder: folders are within the access with symlinks resolved.
func TestAccessFolder(t *testing.T) {
	inside, outside := resolved(t, t.TempDir()), resolved(t, t.TempDir())
	for _, dir := range []string{inside + "/sub", inside + "x"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, inside+"/link"); err != nil {
		t.Fatal(err)
	}
	h := NewHost(Config{}).For(Access{Within: inside})
	for dir, want := range map[string]error{
		inside: nil, inside + "/sub": nil, inside + "x": ErrOutside, inside + "/link": ErrOutside, inside + "/..": ErrOutside, outside: ErrOutside,
	} {
		if _, err := h.Folder(dir); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: %v, want %v", dir, err, want)
		}
	}
	if _, err := h.Folder(inside + "/none"); err == nil || errors.Is(err, ErrOutside) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestAccessFolderOfSessions: a caller that can reach only some sessions may choose folders within theirs, open or stored.
func TestAccessFolderOfSessions(t *testing.T) {
	b := newBench(t, nil)
	h := b.sharedHost(Sharing{})
	s := b.create(t, h, nil)
	defer closed(t, s)
	workspace, other := s.State().Workspace, resolved(t, t.TempDir())
	for _, dir := range []string{workspace + "/sub", other + "/x"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	limited := h.For(Access{Sessions: []event.SessionID{s.ID(), "none"}})
	check := func(dir string, want error) {
		t.Helper()
		if _, err := limited.Folder(dir); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: %v, want %v", dir, err, want)
		}
		if within, outside := limited.Excludes(dir); outside != (want != nil) || outside && !slices.Contains(within, workspace) {
			t.Errorf("%s is outside of %q: %t", dir, within, outside)
		}
	}
	check(workspace, nil)
	check(workspace+"/sub", nil)
	check(other, ErrOutside)
	check(filepath.Dir(workspace), ErrOutside)
	if err := s.Join(ClientInfo{}).Change(func(set *event.Settings) { set.Dir = other }); err != nil {
		t.Fatal(err)
	}
	check(workspace, nil)
	check(other+"/x", nil)
}

// TestSessionLeavesAccess: a session that another caller moves out of the folder is not there any more.
func TestSessionLeavesAccess(t *testing.T) {
	b := newBench(t, nil)
	h := b.sharedHost(Sharing{})
	s := b.create(t, h, nil)
	defer closed(t, s)
	limited := h.For(Access{Within: s.State().Workspace})
	if !limited.Reaches(s) {
		t.Fatal("it is outside at first")
	}
	if err := s.Join(ClientInfo{}).Change(func(set *event.Settings) { set.Dir = resolved(t, t.TempDir()) }); err != nil {
		t.Fatal(err)
	}
	if _, err := limited.Session(s.ID()); !errors.Is(err, ErrNoSession) || limited.Reaches(s) {
		t.Errorf("it is still there: %v", err)
	}
}

// TestAuditOfAnswers: answers of clients of a caller are reported with the client.
func TestAuditOfAnswers(t *testing.T) {
	b := newBench(t, nil)
	h := b.sharedHost(Sharing{})
	s := b.create(t, h, nil)
	defer closed(t, s)
	var seen []Answered
	c := h.For(Access{Audit: func(a Answered) { seen = append(seen, a) }}).Attach(s, ClientInfo{Name: "bot"})
	s.mu.Lock()
	s.clients.approvals["a-1"] = &pendingApproval{answer: make(chan answer, 1)}
	s.clients.questions["q-1"] = &pendingQuestion{answer: make(chan reply, 1)}
	s.mu.Unlock()
	if err := errors.Join(c.Answer("a-1", Decision{Allow: true}), c.AnswerQuestion("q-1", nil)); err != nil {
		t.Fatal(err)
	}
	want := []Answered{
		{Session: s.ID(), Client: event.Client{N: 1, Name: "bot"}, ID: "a-1", Allowed: true},
		{Session: s.ID(), Client: event.Client{N: 1, Name: "bot"}, ID: "q-1"},
	}
	if !slices.Equal(seen, want) {
		t.Errorf("%+v, want %+v", seen, want)
	}
}
