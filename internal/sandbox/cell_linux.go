package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/sandbox/cell"
)

// ownProgram is this program, even when its file was replaced meanwhile; tests put another
// in its place.
var ownProgram = "/proc/self/exe"

// A cellStart carries the Plan to a cell and its status back.
type cellStart struct {
	plan        *cell.Plan
	file        *os.File // the Plan, in memory
	from, until *os.File // the status pipe: our end, and the cell's
}

func newCell(p *cell.Plan) (*cellStart, error) {
	file, err := planFile(p.Encode())
	if err != nil {
		return nil, fmt.Errorf("write the plan of a confined command: %w", err)
	}
	from, until, err := os.Pipe()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &cellStart{plan: p, file: file, from: from, until: until}, nil
}

// planFile is a file in memory that nobody can change any more.
func planFile(data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("parley-plan", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "plan")
	if _, err := f.Write(data); err != nil {
		f.Close()
		return nil, err
	}
	const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// files are what a cell inherits behind the command's own three.
func (b *cellStart) files() []*os.File { return []*os.File{b.file, b.until} }

// env is the environment of the cell itself: the mark, so that it is found should this
// process be killed meanwhile. That of the command is in the Plan.
func (b *cellStart) env(mark string) []string {
	return []string{cell.Variable + "=1", markName + "=" + mark}
}

// started gives up the cell's files: the status ends with the cell's own.
func (b *cellStart) started() {
	b.file.Close()
	b.until.Close()
}

// begun returns once the command runs, or says why it does not.
func (b *cellStart) begun() error {
	data, err := io.ReadAll(b.from)
	if err != nil {
		return err
	}
	data, confined := bytes.CutPrefix(data, []byte{cell.Confined})
	f, failed := cell.DecodeFailure(data)
	switch {
	case !failed && confined:
		return nil
	case !failed:
		return errors.New("the command cannot be confined and is not run: it ended before it was")
	}
	errno := syscall.Errno(f.Errno)
	switch f.Stage {
	case cell.Beginning: // as os.StartProcess says it
		return &os.PathError{Op: "fork/exec", Path: f.What, Err: errno}
	case cell.Entering:
		return &os.PathError{Op: "chdir", Path: f.What, Err: errno}
	case cell.Confining:
		return fmt.Errorf("the command cannot be confined and is not run: %s: %w", f.What, errno)
	}
	return errors.New("the command cannot be confined and is not run")
}

func (b *cellStart) close() {
	b.started()
	b.from.Close()
}
