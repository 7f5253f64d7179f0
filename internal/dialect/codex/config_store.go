package codex

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/regular"
)

// A configuration is what clients have written of the configuration: a file of this protocol's own in the state folder. The
// configuration of the user is never written: commands stand in it. It is safe for concurrent use.
type configuration struct {
	mu   lock.Mutex
	path string // absolute
	read bool
	tree tree
}

// settingsFile is the file's name in the state folder.
const settingsFile = "codex.json"

// load returns what is written, and its version; again reads the file even if it was read before.
func (c *configuration) load(again bool) (tree, string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.fill(again); err != nil {
		return tree{}, "", err
	}
	return c.tree.clone(), versionOf(c.tree), nil
}

// fill reads the file. Without one the tree is empty.
func (c *configuration) fill(again bool) error {
	if c.read && !again {
		return nil
	}
	data, err := regular.ReadFile(c.path, fileMost)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = []byte("{}"), nil
	}
	if err != nil {
		return err
	}
	written, err := treeOf(data)
	if err != nil {
		return fmt.Errorf("%s: %w", c.path, err)
	}
	c.tree, c.read = written, true
	return nil
}

// errVersion reports that the file is not what the client has read.
var errVersion = refused("the configuration was changed since it was read: read it again")

// change writes what edit makes of the tree, and returns the new version. After an error nothing has changed. Expected is the
// version that the client has read; "": any.
func (c *configuration) change(expected string, edit func(tree) error) (version string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.fill(true); err != nil {
		return "", err
	}
	if expected != "" && expected != versionOf(c.tree) {
		return "", errVersion
	}
	changed := c.tree.clone()
	if err := edit(changed); err != nil {
		return "", err
	}
	if err := replaceFile(c.path, append(changed.value(), '\n')); err != nil {
		return "", err
	}
	c.tree = changed
	return versionOf(changed), nil
}

func versionOf(t tree) string {
	sum := sha256.Sum256(t.value())
	return "sha256:" + hex.EncodeToString(sum[:])
}

// replaceFile writes a file, whose folder is made if it is not there, so that a reader sees all of the old or all of the new one.
func replaceFile(path string, data []byte) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return atomicfile.WriteFile(path, data, 0o600)
}
