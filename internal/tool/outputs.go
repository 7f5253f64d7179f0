package tool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"parley.dev/parley/internal/tempdir"
)

// maxOutputs is how many whole outputs a session keeps.
const maxOutputs = 32

// Outputs keeps the whole outputs of a session's calls, of which models saw a part, as files that
// the tools may read. The folder is of the user alone, and is removed by Close. A nil Outputs keeps
// nothing. It is safe for use by several goroutines.
type Outputs struct {
	temp *tempdir.Folder
	dir  string // absolute, without symlinks; it exists from the first output on

	mu     sync.Mutex
	root   *os.Root // dir, held open; nil: there is no output yet
	saved  int
	closed bool
}

// NewOutputs returns an Outputs whose folder lies in temp.
func NewOutputs(temp *tempdir.Folder) *Outputs {
	return &Outputs{temp: temp, dir: temp.Name("outputs")}
}

// Save stores an output and returns the path of its file. Of more than maxOutputs the oldest is removed.
func (o *Outputs) Save(output []byte) (path string, err error) {
	if o == nil {
		return "", errors.ErrUnsupported
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return "", os.ErrClosed
	}
	if err := o.open(); err != nil {
		return "", err
	}
	o.saved++
	if err := o.write(outputName(o.saved), output); err != nil {
		return "", err
	}
	if old := o.saved - maxOutputs; old > 0 {
		_ = o.root.Remove(outputName(old)) // it may have been removed by others
	}
	return filepath.Join(o.dir, outputName(o.saved)), nil
}

// open makes the folder for the first output.
func (o *Outputs) open() (err error) {
	if o.root != nil {
		return nil
	}
	if err := o.temp.Make(o.dir); err != nil {
		return err
	}
	o.root, err = os.OpenRoot(o.dir)
	return err
}

// write writes a new file. It does not write through a link, or to a file that exists.
func (o *Outputs) write(name string, output []byte) error {
	file, err := o.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(output)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, o.root.Remove(name))
	}
	return nil
}

func outputName(n int) string { return fmt.Sprintf("output-%d.txt", n) }

// Close removes all outputs; there are none afterwards.
func (o *Outputs) Close() error {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.root == nil {
		return nil
	}
	return errors.Join(o.root.Close(), os.RemoveAll(o.dir))
}

// Folder returns the folder of the files; "" if there is none.
func (o *Outputs) Folder() string {
	if o == nil {
		return ""
	}
	return o.dir
}
