package grantfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley.dev/parley/internal/approval"
)

var start = time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC)

// open returns a store in a folder, and the time that it goes by.
func open(folder string) (*Store, *time.Time) {
	now := start
	return New(Options{Folder: folder, Now: func() time.Time { return now }}), &now
}

func forCommand(pattern string) approval.Grant {
	return approval.Grant{Target: approval.Target{Kind: approval.TargetCommand, Pattern: pattern}, Level: approval.Execute, Scope: approval.Always}
}

func forFolder(path string, level approval.Level) approval.Grant {
	return approval.Grant{Target: approval.Target{Kind: approval.TargetPath, Path: path, Recursive: true}, Level: level, Scope: approval.Always}
}

func save(t *testing.T, s *Store, workspace string, g approval.Grant) approval.Grant {
	t.Helper()
	saved, err := s.Save(workspace, g)
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

func load(t *testing.T, s *Store, workspace string) []approval.Grant {
	t.Helper()
	list, err := s.Load(workspace)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestSaveLoadRevoke(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state")
	s, now := open(folder)
	if list := load(t, s, "/w"); list != nil {
		t.Errorf("nothing was given: %v", list)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("looking has made the folder")
	}
	git := save(t, s, "/w", forCommand("git *"))
	files := save(t, s, "/w", forFolder("/w", approval.Write))
	other := save(t, s, "/v", forCommand("git *"))
	if git.ID == files.ID || git.ID != other.ID || !git.Given.Equal(start.Truncate(time.Second)) {
		t.Errorf("saved are %+v, %+v, %+v", git, files, other)
	}
	for _, path := range []string{"grants.json", "grants.lock"} {
		if info, err := os.Stat(filepath.Join(folder, path)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}

	for _, again := range []*Store{s, New(Options{Folder: folder})} { // one that asks the clock of the machine, too
		if got := load(t, again, "/w"); !slices.Equal(got, []approval.Grant{git, files}) {
			t.Errorf("loaded are %+v", got)
		}
		all, err := again.All()
		if err != nil || len(all) != 2 || !slices.Equal(all["/v"], []approval.Grant{other}) {
			t.Errorf("all are %+v, %v", all, err)
		}
		for _, workspace := range []string{"/", "/w/a", "/W", "/u"} {
			if got := load(t, again, workspace); len(got) > 0 {
				t.Errorf("%s has %+v", workspace, got)
			}
		}
	}

	*now = now.Add(time.Hour)
	renewed := forCommand("git *")
	renewed.Expires = now.Add(time.Hour)
	renewed = save(t, s, "/w", renewed)
	if got := load(t, s, "/w"); renewed.ID != git.ID || !slices.Equal(got, []approval.Grant{files, renewed}) {
		t.Errorf("renewed is %+v in %+v", renewed, got)
	}
	*now = renewed.Expires
	if got := load(t, s, "/w"); !slices.Equal(got, []approval.Grant{files}) {
		t.Errorf("at the end there are %+v", got)
	}
	if err := s.Revoke("/w", files.ID, "nothing"); !errors.Is(err, approval.ErrNoGrant) || len(load(t, s, "/w")) != 1 {
		t.Errorf("one of two was revoked: %v", err)
	}
	if err := s.Revoke("/v", files.ID); !errors.Is(err, approval.ErrNoGrant) {
		t.Errorf("a grant of another workspace was revoked: %v", err)
	}
	if err := s.Revoke("/w", files.ID); err != nil || len(load(t, s, "/w")) != 0 || len(load(t, s, "/v")) != 1 {
		t.Errorf("after revoking: %v", err)
	}
	if err := s.Revoke("/v", other.ID); err != nil {
		t.Error(err)
	}
	if all, err := s.All(); len(all) > 0 || err != nil {
		t.Errorf("all are revoked: %v, %v", all, err)
	}
}

// TestSameTimeAndSize: another file is read anew, even if it looks the same from outside.
func TestSameTimeAndSize(t *testing.T) {
	s, _ := open(t.TempDir())
	save(t, s, "/w", forCommand("git *"))
	load(t, s, "/w")
	text, err := os.ReadFile(s.path())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.path())
	if err != nil {
		t.Fatal(err)
	}
	other := s.path() + ".new"
	if err := errors.Join(
		os.WriteFile(other, []byte(strings.Replace(string(text), "git *", "cat *", 1)), 0o600),
		os.Chtimes(other, info.ModTime(), info.ModTime()), os.Rename(other, s.path()),
	); err != nil {
		t.Fatal(err)
	}
	if got := load(t, s, "/w"); len(got) != 1 || got[0].Target.Pattern != "cat *" {
		t.Errorf("loaded is %+v", got)
	}
}

// TestOthersRevoke: what one process revokes is gone in another that has read it before.
func TestOthersRevoke(t *testing.T) {
	folder := t.TempDir()
	here, _ := open(folder)
	there, _ := open(folder)
	git := save(t, here, "/w", forCommand("git *"))
	if len(load(t, there, "/w")) != 1 {
		t.Fatal("it is not there")
	}
	list := load(t, here, "/w")
	list[0].Target.Pattern = "*" // nothing else sees this
	if got := load(t, here, "/w"); got[0] != git {
		t.Errorf("the caller changed %+v", got)
	}
	if err := there.Revoke("/w", git.ID); err != nil {
		t.Fatal(err)
	}
	if got := load(t, here, "/w"); len(got) > 0 {
		t.Errorf("revoked elsewhere, and there is %+v", got)
	}
}

func TestSaveRefuses(t *testing.T) {
	s, _ := open(t.TempDir())
	session := forCommand("git *")
	session.Scope = approval.Session
	for _, test := range []struct {
		workspace string
		grant     approval.Grant
		want      string
	}{
		{"/w", session, "only grants for always"},
		{"/w", approval.Grant{Target: session.Target, Level: approval.Read, Scope: approval.Once}, "only grants for always"},
		{"/w", forCommand("sh *"), "far more"},
		{"/w", forFolder("w", approval.Read), "in full"},
		{"/w", forFolder("/w", 0), "level"},
		{"w", forCommand("git *"), "absolute folder"},
		{"", forCommand("git *"), "absolute folder"},
		{"/w/", forCommand("git *"), "absolute folder"},
		{"/w/../v", forCommand("git *"), "absolute folder"},
		{"/\xff", forCommand("git *"), "absolute folder"},
	} {
		if _, err := s.Save(test.workspace, test.grant); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q %+v: %v, want %q", test.workspace, test.grant, err, test.want)
		}
	}
	if _, err := s.Load("w"); err == nil {
		t.Error("a folder that depends has grants")
	}
	if err := s.Revoke("w", "x"); err == nil {
		t.Error("a folder that depends has a grant to revoke")
	}
}

// TestBound: a workspace cannot have grants without end.
func TestBound(t *testing.T) {
	s, _ := open(t.TempDir())
	if err := s.change(func(all map[string][]approval.Grant) error {
		for i := range maxGrants {
			all["/w"] = append(all["/w"], forFolder(fmt.Sprintf("/w/%d", i), approval.Read).Named())
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save("/w", forFolder("/w", approval.Read)); err == nil || !strings.Contains(err.Error(), "revoke some") {
		t.Errorf("one more: %v", err)
	}
	save(t, s, "/w", forFolder("/w/7", approval.Read))
	save(t, s, "/v", forFolder("/w", approval.Read))
}

// TestDamage: what is not certain grants nothing, is saved in another file and reported.
func TestDamage(t *testing.T) {
	const good = `{"version":1,"workspaces":{"/w":[{"target":{"type":"path","path":"/w"},"level":"read","scope":"always"}]}}`
	for name, text := range map[string]string{
		"empty":             ``,
		"half":              good[:len(good)/2],
		"more after it":     good + good,
		"zeros":             strings.Repeat("\x00", 100),
		"no version":        strings.Replace(good, `"version":1,`, ``, 1),
		"version 0":         strings.Replace(good, `1`, `0`, 1),
		"another member":    strings.Replace(good, `"version":1`, `"version":1,"except":"/w"`, 1),
		"a restriction":     strings.Replace(good, `"level"`, `"except":"/w/a","level"`, 1),
		"twice":             strings.Replace(good, `"level"`, `"level":"admin","level"`, 1),
		"unknown level":     strings.Replace(good, `read`, `all`, 1),
		"no level":          strings.Replace(good, `"level":"read",`, ``, 1),
		"unknown target":    strings.Replace(good, `"path",`, `"anything",`, 1),
		"unclean path":      strings.Replace(good, `"path":"/w"`, `"path":"/w/.."`, 1),
		"for the session":   strings.Replace(good, `always`, `session`, 1),
		"strange workspace": strings.Replace(good, `"/w":`, `"w":`, 1),
		"bad UTF-8":         strings.Replace(good, `/w`, "/\xff", 1),
		"too large":         good + strings.Repeat(" ", maxFile),
		"a carrier":         `{"version":1,"workspaces":{"/w":[{"target":{"type":"command","pattern":"sudo *"},"level":"execute","scope":"always"}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := open(t.TempDir())
			first := save(t, s, "/w", forCommand("git *"))
			if err := os.WriteFile(s.path(), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			list, err := s.Load("/w")
			if len(list) > 0 || !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "grants.damaged-1.json") {
				t.Fatalf("%v, %v", list, err)
			}
			if kept, err := os.ReadFile(filepath.Join(s.folder, "grants.damaged-1.json")); err != nil || string(kept) != text {
				t.Errorf("kept is %.100q, %v", kept, err)
			}
			if list := load(t, s, "/w"); len(list) > 0 {
				t.Errorf("afterwards there is %v", list)
			}
			again := save(t, s, "/w", forCommand("git *"))
			if got := load(t, s, "/w"); len(got) != 1 || again.ID != first.ID {
				t.Errorf("given again: %v", got)
			}
			if err := os.WriteFile(s.path(), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Save("/w", forCommand("make *")); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "grants.damaged-2.json") {
				t.Errorf("saving says %v", err)
			}
			if list := load(t, s, "/w"); len(list) > 0 {
				t.Errorf("a refused grant is there: %v", list)
			}
		})
	}
}

// TestNotOurFile: what others could have written is not believed.
func TestNotOurFile(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string) error{
		"writable to the group": func(_ *testing.T, path string) error { return os.Chmod(path, 0o620) },
		"writable to all":       func(_ *testing.T, path string) error { return os.Chmod(path, 0o602) },
		"a link": func(t *testing.T, path string) error {
			elsewhere := filepath.Join(t.TempDir(), "x")
			return errors.Join(os.Rename(path, elsewhere), os.Symlink(elsewhere, path))
		},
		"a folder": func(_ *testing.T, path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := open(t.TempDir())
			save(t, s, "/w", forCommand("git *"))
			load(t, s, "/w")
			if err := spoil(t, s.path()); err != nil {
				t.Fatal(err)
			}
			if list, err := s.Load("/w"); len(list) > 0 || !errors.Is(err, ErrDamaged) {
				t.Errorf("%v, %v", list, err)
			}
			save(t, s, "/w", forCommand("git *"))
		})
	}
}

// TestLaterVersion: the file of a later program stays where it is, and grants nothing to this one.
func TestLaterVersion(t *testing.T) {
	s, _ := open(t.TempDir())
	const text = `{"version":2,"workspaces":[],"more":true}`
	if err := os.WriteFile(s.path(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if list, err := s.Load("/w"); len(list) > 0 || err == nil || !strings.Contains(err.Error(), "later version") {
			t.Errorf("%v, %v", list, err)
		}
	}
	if _, err := s.Save("/w", forCommand("git *")); err == nil {
		t.Error("it was replaced")
	}
	if kept, err := os.ReadFile(s.path()); err != nil || string(kept) != text {
		t.Errorf("it is %q now, %v", kept, err)
	}
}

// TestUnreadable: a file that cannot be opened grants nothing and stays.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	s, _ := open(t.TempDir())
	save(t, s, "/w", forCommand("git *"))
	if err := os.Chmod(s.path(), 0); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Load("/w"); len(list) > 0 || err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("%v, %v", list, err)
	}
	if err := os.Chmod(s.path(), 0o600); err != nil {
		t.Fatal(err)
	}
	if len(load(t, s, "/w")) != 1 {
		t.Error("it is not there any more")
	}
}

// TestTogether: nothing is lost when many save and revoke at once.
func TestTogether(t *testing.T) {
	folder := t.TempDir()
	const stores, each = 4, 8
	var wg sync.WaitGroup
	for n := range stores {
		wg.Go(func() {
			s, _ := open(folder)
			for i := range each {
				path := fmt.Sprintf("/w/%d-%d", n, i)
				g, err := s.Save("/w", forFolder(path, approval.Read))
				if err == nil && i%2 == 1 {
					err = s.Revoke("/w", g.ID)
				}
				if _, loading := s.Load("/w"); err != nil || loading != nil {
					t.Errorf("%s: %v, %v", path, err, loading)
				}
			}
		})
	}
	wg.Wait()
	s, _ := open(folder)
	if got := load(t, s, "/w"); len(got) != stores*each/2 {
		t.Errorf("%d grants are left", len(got))
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version":1,"workspaces":{"/w":[{"id":"x","target":{"type":"path","path":"/w","recursive":true},"level":"read","scope":"always","given":"2030-01-02T03:04:05Z"}]}}`))
	f.Add([]byte(`{"version":1,"workspaces":{}}`))
	f.Add([]byte(`{"version":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := New(Options{Folder: "/state"})
		all, err := s.parse(data)
		if err != nil && len(all) > 0 {
			t.Fatalf("%q: %v with %v", data, err, all)
		}
		for workspace, list := range all {
			for _, g := range list {
				if g.Scope != approval.Always || g.Validate() != nil || g.ID != g.Named().ID || !filepath.IsAbs(workspace) {
					t.Fatalf("%q: %+v of %s", data, g, workspace)
				}
			}
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	s, _ := open(b.TempDir())
	for i := range 20 {
		if _, err := s.Save("/w", forFolder(fmt.Sprintf("/w/%d", i), approval.Read)); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := s.Load("/w"); err != nil {
			b.Fatal(err)
		}
	}
}
