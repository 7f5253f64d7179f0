package dialect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What a project chooses to show goes to models: a link must not choose a file of the user's,
// and no file may keep the program from starting.
func TestReadProject(t *testing.T) {
	top := t.TempDir()
	outside := filepath.Join(top, "outside")
	folder := filepath.Join(top, "project")
	if err := errors.Join(os.MkdirAll(folder+"/.x", 0o700), os.Mkdir(outside, 0o700)); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		outside + "/key": "secret", folder + "/.x/in.md": "inside", folder + "/long": strings.Repeat("x", projectFile+1),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"absolute": outside + "/key", "relative": "../outside/key", "dir": outside, "zero": "/dev/zero", "environ": "/proc/self/environ", "within": ".x/in.md",
	} {
		if err := os.Symlink(target, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(folder+"/pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		".x/in.md": "inside", "within": "inside", "absolute": "", "relative": "", "dir/key": "", "zero": "", "environ": "", "../outside/key": "", "pipe": "", "long": "", ".x": "",
	} {
		data, err := ReadProject(folder, name)
		if string(data) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %.20q, %v", name, data, err)
		}
	}
	for _, name := range []string{"missing", "missing/too"} {
		if _, err := ReadProject(folder, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
