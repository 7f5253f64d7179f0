//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGuardTempHome: the folder that stands for HOME in the shared temporary one is made for
// this user alone, and refused with all that is kept in it if others could have made it.
func TestGuardTempHome(t *testing.T) {
	for name, row := range map[string]struct {
		make func(home string) error
		want string // "": it can be used
	}{
		"nothing there": {func(string) error { return nil }, ""},
		"our own":       {func(home string) error { return os.MkdirAll(home+"/.config/parley", 0o700) }, ""},
		"a link":        {func(home string) error { return os.Symlink(filepath.Dir(home), home) }, "is not a folder"},
		"open": {func(home string) error {
			return errorsOf(os.Mkdir(home, 0o700), os.Chmod(home, 0o777))
		}, "others can write"},
		"open below": {func(home string) error {
			return errorsOf(os.MkdirAll(home+"/.local/state", 0o700), os.Chmod(home+"/.local", 0o777))
		}, "others can write"},
		"a link below": {func(home string) error {
			return errorsOf(os.Mkdir(home, 0o700), os.Symlink("/", home+"/.config"))
		}, "is not a folder"},
		"another user's": {func(home string) error {
			return errorsOf(os.Mkdir(home, 0o755), os.Chown(home, 65534, 65534))
		}, "belongs to another user"},
		"another user's below": {func(home string) error {
			return errorsOf(os.MkdirAll(home+"/.config", 0o755), os.Chown(home+"/.config", 65534, 65534))
		}, "belongs to another user"},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(name, "another user") && os.Getuid() != 0 {
				t.Skip("only root can make another user's folders")
			}
			home := filepath.Join(t.TempDir(), "parley-1")
			if err := row.make(home); err != nil {
				t.Fatal(err)
			}
			err := guardTempHome(home)
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("%v, want %q", err, row.want)
			}
			if info, err := os.Stat(home); row.want == "" && (err != nil || info.Mode().Perm() != 0o700) {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
