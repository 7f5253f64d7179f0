package cell

import "syscall"

// unusable is the exit code of a cell that could not tell its Spawner why it failed.
const unusable = 125

func init() {
	if _, ok := syscall.Getenv(Variable); ok {
		become()
	}
}

// become plays the Plan in PlanFile and never returns. It runs on the main thread, as all
// init functions do: what is taken from this thread is taken from what it executes.
func become() {
	data, errno := readAll(PlanFile)
	p, ok := Decode(data)
	if errno != 0 || !ok {
		complain("parley: " + Variable + " is set, but descriptor 3 holds no plan: nothing is run\n")
		syscall.Exit(unusable)
	}
	syscall.CloseOnExec(PlanFile)
	syscall.CloseOnExec(StatusFile)
	if f := p.confine(); f != nil {
		report(*f)
	}
	if _, err := syscall.Write(StatusFile, []byte{Confined}); err != nil {
		syscall.Exit(unusable)
	}
	if p.Path == "" {
		syscall.Exit(0)
	}
	if err := syscall.Chdir(p.Dir); err != nil {
		report(failure(Entering, p.Dir, err))
	}
	report(failure(Beginning, p.Path, syscall.Exec(p.Path, p.Args, p.Env)))
}

func failure(stage Stage, what string, err error) Failure {
	errno, _ := err.(syscall.Errno)
	return Failure{Stage: stage, Errno: uint32(errno), What: what}
}

// report ends the cell.
func report(f Failure) {
	if _, err := syscall.Write(StatusFile, f.Encode()); err != nil {
		complain("parley: the command cannot be confined and is not run: " + f.What + ": " + syscall.Errno(f.Errno).Error() + "\n")
	}
	syscall.Exit(unusable)
}

func complain(text string) {
	_, _ = syscall.Write(2, []byte(text)) // nobody is left to hear of it
}

// readAll reads a file from its beginning.
func readAll(fd int) (data []byte, errno syscall.Errno) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := syscall.Pread(fd, buffer, int64(len(data)))
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			errno, _ = err.(syscall.Errno)
			return nil, errno
		}
		if n == 0 {
			return data, 0
		}
		data = append(data, buffer[:n]...)
	}
}

// closeFile gives up what was only opened to be named.
func closeFile(fd int) { _ = syscall.Close(fd) }
