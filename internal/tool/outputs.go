package tool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"parley.dev/parley/internal/sandbox"
)

// maxOutputs is how many whole outputs a session keeps.
const maxOutputs = 32

// Outputs keeps the whole outputs of a session's calls, of which models saw a part, as files that
// the tools may read. The folder is of the user alone, and is removed by Close. A nil Outputs keeps
// nothing. It is safe for use by several goroutines.
type Outputs struct {
	dir string // absolute, without symlinks; it exists from the first output on

	mu     sync.Mutex
	saved  int
	closed bool
}

// NewOutputs returns an Outputs whose folder lies in the folder for temporary files; nil if there
// is none. If this process is killed, the folder is removed where the spawner has run a command, see
// [sandbox.Spawner.TempName]. The spawner may be nil.
func NewOutputs(spawner *sandbox.Spawner) *Outputs {
	temp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return nil
	}
	return &Outputs{dir: filepath.Join(temp, spawner.TempName("outputs"))}
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
	if o.saved == 0 {
		if err := os.Mkdir(o.dir, 0o700); err != nil {
			return "", err
		}
	}
	o.saved++
	if err := os.WriteFile(o.file(o.saved), output, 0o600); err != nil {
		return "", errors.Join(err, os.Remove(o.file(o.saved)))
	}
	if old := o.saved - maxOutputs; old > 0 {
		_ = os.Remove(o.file(old)) // it may have been removed by others
	}
	return o.file(o.saved), nil
}

func (o *Outputs) file(n int) string { return filepath.Join(o.dir, fmt.Sprintf("output-%d.txt", n)) }

// Close removes all outputs; there are none afterwards.
func (o *Outputs) Close() error {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.saved == 0 {
		return nil
	}
	return os.RemoveAll(o.dir)
}

// Folder returns the folder of the files; "" if there is none.
func (o *Outputs) Folder() string {
	if o == nil {
		return ""
	}
	return o.dir
}
