package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/sandbox/reexec"
)

// ownProgram is the path of this program, which stays valid when its file is replaced; tests set
// another one.
var ownProgram = "/proc/self/exe"

// A reexecStart passes a Plan to this program started again, and receives its status.
type reexecStart struct {
	plan                *reexec.Plan
	planFile            *os.File // the encoded Plan, in memory
	status, childStatus *os.File // the status pipe: the end to read from, and the child's
}

func newReexec(p *reexec.Plan) (*reexecStart, error) {
	file, err := sealedFile(p.Encode())
	if err != nil {
		return nil, fmt.Errorf("write the plan of a confined command: %w", err)
	}
	from, until, err := os.Pipe()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &reexecStart{plan: p, planFile: file, status: from, childStatus: until}, nil
}

// sealedFile returns a file in memory with data, which cannot be changed any more.
func sealedFile(data []byte) (*os.File, error) {
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

// files returns the descriptors of the child from 3 on.
func (b *reexecStart) files() []*os.File { return []*os.File{b.planFile, b.childStatus} }

// env returns the environment of the child itself: it has the mark, so that the child is found if
// this process is killed meanwhile. The environment of the command is in the Plan.
func (b *reexecStart) env(mark string) []string {
	return []string{reexec.Variable + "=1", markName + "=" + mark}
}

// closeChildFiles closes this process's copies of files, once the child has its own: the status
// then ends when the child closes its end.
func (b *reexecStart) closeChildFiles() {
	b.planFile.Close()
	b.childStatus.Close()
}

// awaitExec waits until the command is executed, or returns why it is not.
func (b *reexecStart) awaitExec() error {
	data, err := io.ReadAll(b.status)
	if err != nil {
		return err
	}
	data, confined := bytes.CutPrefix(data, []byte{reexec.StatusConfined})
	f, failed := reexec.DecodeFailure(data)
	switch {
	case !failed && confined:
		return nil
	case !failed:
		return errors.New("the command cannot be confined and is not run: it ended before it was")
	}
	errno := syscall.Errno(f.Errno)
	switch f.Stage {
	case reexec.StageExec: // the same error as os.StartProcess
		return &os.PathError{Op: "fork/exec", Path: f.What, Err: errno}
	case reexec.StageChdir:
		return &os.PathError{Op: "chdir", Path: f.What, Err: errno}
	case reexec.StageConfine:
		return fmt.Errorf("the command cannot be confined and is not run: %s: %w", f.What, errno)
	}
	return errors.New("the command cannot be confined and is not run")
}

func (b *reexecStart) close() {
	b.closeChildFiles()
	b.status.Close()
}
