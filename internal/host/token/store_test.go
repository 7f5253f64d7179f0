package token

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func create(t testing.TB, s *Store, info Info) (Info, string) {
	t.Helper()
	info, secret, err := s.Create(info)
	if err != nil {
		t.Fatal(err)
	}
	return info, secret
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// TestTokens: a token is valid until it is revoked, also after a restart; on disk there is its hash, for the user only.
func TestTokens(t *testing.T) {
	path := Path(t.TempDir())
	s := open(t, path)
	info, secret := create(t, s, Info{Role: "driver", Name: "ci", Scope: Scope{Sessions: []string{"s-1"}, Workspace: "/w"}})
	_, other := create(t, s, Info{Role: "viewer", Name: "wall"})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), strings.TrimPrefix(secret, prefix)) {
		t.Errorf("the secret %s is on disk: %s", secret, data)
	}
	if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", stat.Mode(), err)
	}
	s = open(t, path)
	got, ended, ok := s.Check(secret)
	if !ok || isClosed(ended) {
		t.Fatalf("after a restart: %v, ended %v", ok, isClosed(ended))
	}
	if diff := cmp.Diff(info, got); diff != "" {
		t.Error(diff)
	}
	if err := s.Revoke(info.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := s.Check(secret); ok || !isClosed(ended) {
		t.Errorf("revoked: valid %v, ended %v", ok, isClosed(ended))
	}
	if _, _, ok := s.Check(other); !ok {
		t.Error("the other token is not valid any more")
	}
	if err := s.Revoke(info.ID); !errors.Is(err, ErrNoToken) {
		t.Errorf("revoked twice: %v", err)
	}
	if list := open(t, path).List(); len(list) != 1 || list[0].Name != "wall" {
		t.Errorf("on disk: %+v", list)
	}
}

// TestWrongTokens: no text but a valid secret is one.
func TestWrongTokens(t *testing.T) {
	s := open(t, Path(t.TempDir()))
	info, secret := create(t, s, Info{Role: "owner"})
	for _, wrong := range []string{"", prefix, info.ID, secret[1:], secret + "x", strings.ToUpper(secret), secret[:len(secret)-1]} {
		if _, _, ok := s.Check(wrong); ok {
			t.Errorf("%q is valid", wrong)
		}
	}
}

// TestExpiredToken: a token ends at its time, and what uses it.
func TestExpiredToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := Path(t.TempDir())
		s := open(t, path)
		_, secret := create(t, s, Info{Role: "owner", Expires: time.Now().Add(time.Hour)})
		_, ended, ok := s.Check(secret)
		if !ok || isClosed(ended) {
			t.Fatal("not valid")
		}
		time.Sleep(time.Hour - time.Nanosecond)
		if _, _, ok := s.Check(secret); !ok || isClosed(ended) {
			t.Error("ended too early")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if _, _, ok := s.Check(secret); ok || !isClosed(ended) || len(s.List()) != 0 {
			t.Errorf("expired: valid %v, ended %v, listed %v", ok, isClosed(ended), s.List())
		}
		if _, _, ok := open(t, path).Check(secret); ok {
			t.Error("valid after a restart")
		}
	})
}

// TestReload: tokens that are removed from the file or changed in it end; others, and temporary ones, go on.
func TestReload(t *testing.T) {
	path := Path(t.TempDir())
	s := open(t, path)
	_, removed := create(t, s, Info{Role: "owner", Name: "removed"})
	_, changed := create(t, s, Info{Role: "owner", Name: "changed"})
	_, stays := create(t, s, Info{Role: "owner", Name: "stays"})
	_, temporary, err := s.CreateTemporary(Info{Role: "owner", Name: "start"})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]<-chan struct{}{}
	for _, secret := range []string{removed, changed, stays, temporary} {
		_, ended, _ := s.Check(secret)
		all[secret] = ended
	}
	other := open(t, path) // as if by hand
	for _, info := range other.List() {
		switch info.Name {
		case "removed":
			err = other.Revoke(info.ID)
		case "changed":
			other.tokens[0].Role = "viewer" // removed is gone already
			err = other.write(other.tokens)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	for secret, want := range map[string]bool{removed: true, changed: true, stays: false, temporary: false} {
		if got := isClosed(all[secret]); got != want {
			t.Errorf("ended: %v, want %v", got, want)
		}
	}
	if info, _, ok := s.Check(changed); !ok || info.Role != "viewer" {
		t.Errorf("the changed token: %+v, %v", info, ok)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err == nil {
		t.Error("a broken file is read")
	}
	if _, _, ok := s.Check(stays); !ok || isClosed(all[stays]) {
		t.Error("a broken file has ended a token")
	}
}

// TestFilesOfOthers: a file that other users can read or write, and what is no file, is refused.
func TestFilesOfOthers(t *testing.T) {
	folder := t.TempDir()
	path := Path(folder)
	create(t, open(t, path), Info{Role: "owner"})
	for _, mode := range []os.FileMode{0o644, 0o660, 0o602} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "mode") {
			t.Errorf("mode %#o: %v", mode, err)
		}
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(folder, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, folder} {
		if _, err := Open(path); err == nil {
			t.Errorf("%s is read", path)
		}
	}
}

// FuzzParse: whatever is in the file is tokens with ids and hashes, or an error.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`{"version":1,"tokens":[]}`, `{"version":2}`, `{"version":1,"tokens":[null]}`, "",
		`{"version":1,"tokens":[{"id":"t-1","role":"owner","name":"","created":"2026-11-22T10:00:00Z","sha256":"` + strings.Repeat("ab", 32) + `"}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, err := parse("tokens.json", text)
		if err != nil {
			return
		}
		for _, e := range entries {
			if e.ID == "" || e.Hash == (hash{}) {
				t.Errorf("%q: a token without id or hash", text)
			}
		}
	})
}
