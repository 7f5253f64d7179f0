package reexec

import "syscall"

// exitCode is the exit code of a process that could not execute its command.
const exitCode = 125

func init() {
	if _, ok := syscall.Getenv(Variable); ok {
		runPlan()
	}
}

// runPlan carries out the Plan in PlanFile and never returns. It runs on the main thread, as all
// init functions do: rights that this thread loses are lost to the program that it executes.
func runPlan() {
	data, errno := readAll(PlanFile)
	p, ok := Decode(data)
	if errno != 0 || !ok {
		writeStderr("parley: " + Variable + " is set, but descriptor 3 holds no plan: nothing is run\n")
		syscall.Exit(exitCode)
	}
	syscall.CloseOnExec(PlanFile)
	syscall.CloseOnExec(StatusFile)
	if f := p.confine(); f != nil {
		report(*f)
	}
	if _, err := syscall.Write(StatusFile, []byte{StatusConfined}); err != nil {
		syscall.Exit(exitCode)
	}
	if p.Path == "" {
		syscall.Exit(0)
	}
	if err := syscall.Chdir(p.Dir); err != nil {
		report(failure(StageChdir, p.Dir, err))
	}
	report(failure(StageExec, p.Path, syscall.Exec(p.Path, p.Args, p.Env)))
}

func failure(stage Stage, what string, err error) Failure {
	errno, _ := err.(syscall.Errno)
	return Failure{Stage: stage, Errno: uint32(errno), What: what}
}

// report writes f to StatusFile and exits.
func report(f Failure) {
	if _, err := syscall.Write(StatusFile, f.Encode()); err != nil {
		writeStderr("parley: the command cannot be confined and is not run: " + f.What + ": " + syscall.Errno(f.Errno).Error() + "\n")
	}
	syscall.Exit(exitCode)
}

func writeStderr(text string) {
	_, _ = syscall.Write(2, []byte(text)) // an error cannot be reported anywhere
}

// readAll reads a whole file from its beginning.
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

// closeFile closes a descriptor; errors do not matter, since nothing was written to it.
func closeFile(fd int) { _ = syscall.Close(fd) }
