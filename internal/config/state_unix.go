//go:build unix

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// GuardState makes an existing state folder, and what is in it, accessible to this user
// alone. It is an error if the folder belongs to another user, or other users can write to it:
// then its content cannot be trusted, and nothing is stored in it.
func GuardState(home string) error {
	for _, path := range []string{home, filepath.Join(home, "sessions"), filepath.Join(home, "secrets")} {
		if _, err := os.Lstat(path); err != nil {
			continue // what is not there, or cannot be, is reported where it is needed
		}
		if err := guard(path); err != nil {
			return fmt.Errorf("the state folder cannot be used: %w", err)
		}
	}
	return nil
}

// guardTempHome makes the folder that stands for the home folder in the temporary one, which
// all users share, and refuses it and the folders on the way to state and configuration if
// they are another user's, links, or can be written by others. Root is no exception: it does
// not share the name.
func guardTempHome(home string) error {
	if err := os.Mkdir(home, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, name := range []string{"", ".config", ".config/parley", ".local", ".local/state", ".local/state/parley"} {
		path := filepath.Join(home, name)
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !info.IsDir():
			return fmt.Errorf("%s is not a folder", path)
		case int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid():
			return fmt.Errorf("%s belongs to another user; set HOME, or PARLEY_HOME and PARLEY_CONFIG", path)
		case info.Mode().Perm()&0o022 != 0:
			return fmt.Errorf("others can write %s: chmod go-w", path)
		}
	}
	return nil
}

// guardConfig refuses a configuration that others can write: hooks and tool servers in it
// are commands that run with this user's rights.
func guardConfig(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := owned(path); err != nil {
		return err
	}
	if info.Mode().IsRegular() && info.Mode().Perm()&0o002 != 0 {
		return fmt.Errorf("everybody can write %s: chmod o-w", path)
	}
	return nil
}

// owned refuses what belongs to neither this user nor root, be it a link or what it leads to.
// Root may use what belongs to anybody, as a container does with a folder of its host.
func owned(path string) error {
	for _, look := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} { // a link, and what it leads to
		info, err := look(path)
		if err != nil {
			return nil // a link that leads nowhere is reported where it is followed
		}
		if owner := info.Sys().(*syscall.Stat_t).Uid; os.Geteuid() != 0 && owner != 0 && int(owner) != os.Geteuid() {
			return fmt.Errorf("%s belongs to another user", path)
		}
	}
	return nil
}

func guard(path string) error {
	if err := owned(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil // as above
	}
	shared := info.Mode()&os.ModeSticky != 0 // by all users, such as /tmp: what they have in it is safe from the others
	switch {
	case !info.IsDir(), shared || info.Mode().Perm()&0o077 == 0:
		return nil
	case int(info.Sys().(*syscall.Stat_t).Uid) == os.Geteuid():
		if err := os.Chmod(path, 0o700); err != nil && info.Mode().Perm()&0o022 != 0 { // else it may be on a disk that is only read
			return err
		}
	case info.Mode().Perm()&0o002 != 0:
		return fmt.Errorf("%s belongs to another user, and everybody can write it", path)
	}
	return nil
}
