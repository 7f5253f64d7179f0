package signin

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/zalando/go-keyring"
	"golang.org/x/oauth2"
)

// A drawer is a Keyring that a test can break.
type drawer struct {
	mu    sync.Mutex
	items map[string]string
	err   error         // of everything
	full  int           // so many items more; then it fails. 0: no end
	stuck chan struct{} // nil, or everything waits for its end
	asked int
}

func (d *drawer) enter() (leave func(), err error) {
	d.mu.Lock()
	d.asked++
	stuck, err := d.stuck, d.err
	d.mu.Unlock()
	if stuck != nil {
		<-stuck
	}
	d.mu.Lock()
	if d.items == nil {
		d.items = map[string]string{}
	}
	return d.mu.Unlock, err
}

func (d *drawer) Set(service, name, value string) error {
	leave, err := d.enter()
	defer leave()
	if err != nil {
		return fmt.Errorf("%w for %s", err, value)
	}
	if d.full == 1 {
		return errors.New("no room for " + value)
	}
	d.full = max(0, d.full-1)
	if len(value) > 2560 {
		return keyring.ErrSetDataTooBig
	}
	d.items[service+"/"+name] = value
	return nil
}

func (d *drawer) Get(service, name string) (string, error) {
	leave, err := d.enter()
	defer leave()
	if err != nil {
		return "", err
	}
	value, ok := d.items[service+"/"+name]
	if !ok {
		return "", keyring.ErrNotFound
	}
	return value, nil
}

func (d *drawer) Delete(service, name string) error {
	leave, err := d.enter()
	defer leave()
	delete(d.items, service+"/"+name)
	return err
}

func content(t *testing.T, s *Store) string {
	t.Helper()
	data, err := os.ReadFile(s.path())
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestStore(t *testing.T) {
	for _, test := range []struct {
		name string
		d    *drawer // nil: the file
	}{{"file", nil}, {"keyring", &drawer{}}} {
		t.Run(test.name, func(t *testing.T) {
			o := StoreOptions{Folder: filepath.Join(t.TempDir(), "a", "b"), File: test.d == nil, Keyring: test.d}
			if test.d == nil {
				o.Keyring = nil
			}
			s := NewStore(o)
			if _, err := s.Get("a"); err != ErrNoSecret {
				t.Errorf("nothing yet: %v", err)
			}
			if names, err := s.Names(); err != nil || len(names) > 0 {
				t.Errorf("names %v, %v", names, err)
			}
			if err := s.Delete("a"); err != nil {
				t.Errorf("delete nothing: %v", err)
			}
			long := mark + strings.Repeat("0123456789é", 800)
			for name, value := range map[string]string{"b": long, "a": mark + "-a"} {
				if err := s.Set(name, value); err != nil {
					t.Fatal(err)
				}
			}
			for _, again := range []*Store{s, NewStore(o)} {
				if value, err := again.Get("b"); err != nil || value != long {
					t.Errorf("b is %.20q… of %d bytes, %v", value, len(value), err)
				}
				if names, err := again.Names(); err != nil || fmt.Sprint(names) != "[a b]" {
					t.Errorf("names %v, %v", names, err)
				}
			}
			if in := strings.Contains(content(t, s), mark); in != (test.d == nil) {
				t.Errorf("secrets in the file: %v", in)
			}
			if place := s.Where(); place.Keyring != (test.d != nil) || (place.Reason == "") != place.Keyring || place.File != s.path() {
				t.Errorf("Where is %+v", place)
			}

			other := NewStore(o)
			if err := other.Set("b", "new"); err != nil {
				t.Fatal(err)
			}
			if value, err := s.Get("b"); err != nil || value != "new" {
				t.Errorf("after another one's change b is %.20q, %v", value, err)
			}
			if err := other.Delete("b"); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Get("b"); err != ErrNoSecret {
				t.Errorf("after another one's Delete: %v", err)
			}
			if err := s.Delete("a"); err != nil {
				t.Fatal(err)
			}
			if test.d != nil && len(test.d.items) > 0 {
				t.Errorf("the keyring still has %d items", len(test.d.items))
			}
			if strings.Contains(content(t, s), mark) {
				t.Error("the file still has a secret")
			}
		})
	}
}

func TestStoreRefuses(t *testing.T) {
	s := NewStore(StoreOptions{Folder: t.TempDir(), File: true})
	for _, test := range []struct{ name, value string }{
		{"", "x"},
		{mark, "x"},
		{"a/b", "x"},
		{"é", "x"},
		{strings.Repeat("a", 65), "x"},
		{"a", ""},
		{"a", strings.Repeat(mark, maxSecret)},
	} {
		err := s.Set(test.name, test.value)
		if err == nil {
			t.Errorf("%.20q with %.20q is taken", test.name, test.value)
		}
		noSecret(t, fmt.Sprint(err))
	}
}

func TestModes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "secrets")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	s := NewStore(StoreOptions{Folder: folder, File: true})
	if err := s.Set("a", mark); err != nil {
		t.Fatal(err)
	}
	modes := func() {
		t.Helper()
		for path, want := range map[string]os.FileMode{folder: 0o700, s.path(): 0o600, filepath.Join(folder, "secrets.lock"): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s has mode %v, %v", filepath.Base(path), info.Mode().Perm(), err)
			}
		}
	}
	modes()
	if err := os.Chmod(s.path(), 0o644); err != nil { // as a backup might restore it
		t.Fatal(err)
	}
	if _, err := s.Get("a"); err != nil {
		t.Fatal(err)
	}
	modes()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

func TestDamagedFile(t *testing.T) {
	for name, text := range map[string]string{
		"cut off":  `{"version":1,"secrets":{"a":{"version":"1","value":"` + mark,
		"later":    `{"version":2,"secrets":{"a":"` + mark + `"}}`,
		"empty":    "",
		"too long": `{"version":1}` + strings.Repeat(" ", maxFile),
	} {
		t.Run(name, func(t *testing.T) {
			s := NewStore(StoreOptions{Folder: t.TempDir(), File: true})
			if err := os.WriteFile(s.path(), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, get := s.Get("a")
			_, names := s.Names()
			for what, err := range map[string]error{"Get": get, "Names": names, "Set": s.Set("a", "x"), "Delete": s.Delete("a")} {
				if err == nil || !strings.Contains(err.Error(), "damaged") {
					t.Errorf("%s: %v", what, err)
				}
				noSecret(t, fmt.Sprint(err))
			}
			if content(t, s) != text {
				t.Error("it was overwritten")
			}
		})
	}
}

func TestUnwritableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := NewStore(StoreOptions{Folder: filepath.Join(file, "x"), File: true})
	err := s.Set("a", mark)
	if err == nil || !strings.HasPrefix(err.Error(), "the folder of secrets cannot be made") {
		t.Errorf("Set: %v", err)
	}
	noSecret(t, fmt.Sprint(err))
}

func TestKeyringFails(t *testing.T) {
	for name, d := range map[string]*drawer{
		"at once":      {err: errors.New("the name is not activatable")},
		"halfway":      {full: 2},
		"with its own": {err: keyring.ErrUnsupportedPlatform},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewStore(StoreOptions{Folder: t.TempDir(), Keyring: d})
			value := strings.Repeat(mark, 1000)
			if err := s.Set("a", value); err != nil {
				t.Fatal(err)
			}
			asked := d.asked
			if got, err := s.Get("a"); err != nil || got != value {
				t.Errorf("Get: %d bytes, %v", len(got), err)
			}
			place := s.Where()
			if place.Keyring || !strings.HasPrefix(place.Reason, "it fails: ") {
				t.Errorf("Where is %+v", place)
			}
			noSecret(t, place.Reason)
			if err := s.Set("b", "x"); err != nil || d.asked != asked {
				t.Errorf("it was asked %d times more, %v", d.asked-asked, err)
			}
			if len(d.items) > 0 {
				t.Errorf("the keyring has %d parts of a secret", len(d.items))
			}
		})
	}
}

func TestKeyringCannotBeRead(t *testing.T) {
	d := &drawer{}
	o := StoreOptions{Folder: t.TempDir(), Keyring: d}
	if err := NewStore(o).Set("a", mark); err != nil {
		t.Fatal(err)
	}
	d.err = errors.New("locked")
	s := NewStore(o)
	if _, err := s.Get("a"); err == nil || !strings.Contains(err.Error(), "keyring of the system, which cannot be read") || !strings.Contains(err.Error(), "locked") {
		t.Errorf("Get: %v", err)
	}
	if err := s.Set("a", "new"); err != nil {
		t.Error(err)
	}
	if got, err := s.Get("a"); err != nil || got != "new" {
		t.Errorf("Get: %q, %v", got, err)
	}
	d.err = nil
	s = NewStore(o)
	if err := s.Set("b", "x"); err != nil {
		t.Fatal(err)
	}
	for name := range d.items {
		if strings.HasPrefix(name, "parley/b.") {
			delete(d.items, name) // a user cleans up
		}
	}
	if _, err := NewStore(o).Get("b"); err != ErrNoSecret {
		t.Errorf("removed from the keyring: %v", err)
	}
}

// No caller waits twice for a keyring that hangs, and what it does too late is undone.
func TestKeyringHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &drawer{stuck: make(chan struct{})}
		s := NewStore(StoreOptions{Folder: t.TempDir(), Keyring: d})
		begun := time.Now()
		for _, name := range []string{"a", "b"} {
			if err := s.Set(name, mark); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Get(name); err != nil || got != mark {
				t.Errorf("Get: %q, %v", got, err)
			}
		}
		place := s.Where()
		if want := "it did not answer within 5 seconds"; place.Reason != want || place.Keyring {
			t.Errorf("Where is %+v, want %q", place, want)
		}
		if took := time.Since(begun); took != 5*time.Second {
			t.Errorf("it took %v", took)
		}
		close(d.stuck)
		synctest.Wait()
		if len(d.items) > 0 || d.asked != 2 { // a Set, and its undoing
			t.Errorf("the keyring has %d items and was asked %d times", len(d.items), d.asked)
		}
	})
}

func TestWhereAsksOnce(t *testing.T) {
	d := &drawer{}
	s := NewStore(StoreOptions{Folder: t.TempDir(), Keyring: d})
	for range 3 {
		if place := s.Where(); !place.Keyring {
			t.Errorf("Where is %+v", place)
		}
	}
	if d.asked != 1 {
		t.Errorf("it was asked %d times", d.asked)
	}
	if entries, err := os.ReadDir(s.folder); err != nil || len(entries) > 0 {
		t.Errorf("asking left %v, %v", entries, err)
	}
}

// Without a session bus the library would start one.
func TestHasKeyring(t *testing.T) {
	for _, test := range []struct {
		system  string
		environ []string
		want    bool
	}{
		{"darwin", nil, true},
		{"windows", nil, true},
		{"linux", nil, false},
		{"linux", []string{"DBUS_SESSION_BUS_ADDRESS="}, false},
		{"linux", []string{"DBUS_SESSION_BUS_ADDRESS=autolaunch:"}, false},
		{"linux", []string{"DBUS_SESSION_BUS_ADDRESS=unix:path=/x"}, true},
		{"freebsd", nil, false},
	} {
		if got := hasKeyring(test.system, test.environ, 1<<30); got != test.want {
			t.Errorf("%s with %v: %v", test.system, test.environ, got)
		}
	}
}

// The real library, with a bus that is not there, fails at once.
func TestSystemKeyringWithoutBus(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "no-bus"))
	s := NewStore(StoreOptions{Folder: t.TempDir()})
	if err := s.Set("a", mark); err != nil {
		t.Fatal(err)
	}
	if place := s.Where(); place.Keyring || strings.Contains(place.Reason, "did not answer") {
		t.Errorf("Where is %+v", place)
	}
}

func TestLockedByAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := StoreOptions{Folder: t.TempDir(), File: true}
		s := NewStore(o)
		unlock, err := NewStore(o).lock(t.Context(), "secrets.lock", lockLimit)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		err = s.Set("a", mark)
		if err == nil || !strings.HasPrefix(err.Error(), "the stored secrets cannot be locked") || time.Since(begun) != lockLimit {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		noSecret(t, fmt.Sprint(err))
		if _, err := s.Get("a"); err != ErrNoSecret { // reading does not wait
			t.Error(err)
		}
		unlock()
		if err := s.Set("a", mark); err != nil {
			t.Error(err)
		}
	})
}

const writes = 30

func TestTwoProcesses(t *testing.T) {
	folder := t.TempDir()
	var all sync.WaitGroup
	for _, who := range []string{"x", "y"} {
		all.Go(func() {
			cmd := exec.CommandContext(t.Context(), must(os.Executable()), who)
			cmd.Env = append(os.Environ(), writerFolder+"="+folder)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	s := NewStore(StoreOptions{Folder: folder, File: true})
	for range writes {
		if _, err := s.Names(); err != nil { // never half a file
			t.Error(err)
		}
	}
	all.Wait()
	if names, err := s.Names(); err != nil || len(names) != 2*writes {
		t.Errorf("%d names are left of %d, %v", len(names), 2*writes, err)
	}
}

func tokenWith(s string) *oauth2.Token {
	token := &oauth2.Token{AccessToken: s, RefreshToken: "r"}
	return token.WithExtra(map[string]any{"id_token": s})
}

func FuzzClip(f *testing.F) {
	f.Add("a\x1b[2J\xff\u202eb")
	f.Fuzz(func(t *testing.T, text string) {
		got := clip(text)
		if got == "" || utf8.RuneCountInString(got) > maxQuote || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}

func FuzzStoredFile(f *testing.F) {
	f.Add(`{"version":1,"secrets":{"a":{"version":"1","value":"x"}}}`)
	f.Add(`{"version":1,"secrets":null}`)
	f.Add(`{"version":1,"secrets":{"a":{"version":"1","items":-5}}}`)
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		s := NewStore(StoreOptions{Folder: folder, Keyring: &drawer{}})
		if err := os.WriteFile(s.path(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _ = s.Get("a")
		if s.Set("a", "new") == nil {
			if got, err := s.Get("a"); err != nil || got != "new" {
				t.Errorf("after Set Get is %q, %v", got, err)
			}
		}
	})
}
