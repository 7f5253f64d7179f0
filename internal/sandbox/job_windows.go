package sandbox

import (
	"errors"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A job is a job object with the processes of one command. A process cannot leave it, and every process that it starts belongs to it. The
// system kills them all when the last handle of the job is closed, hence also when this process ends, however it ends: the
// handle is not inherited.
type job struct{ handle windows.Handle }

func newJob() (*job, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateJobObject", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(handle)
		return nil, os.NewSyscallError("SetInformationJobObject", err)
	}
	return &job{handle}, nil
}

// start starts a process in the job: it executes nothing before it belongs to it.
func (j *job) start(path string, args []string, attr *os.ProcAttr) (*os.Process, error) {
	attr.Sys.CreationFlags |= windows.CREATE_SUSPENDED
	p, err := os.StartProcess(path, args, attr)
	if err != nil {
		return nil, err
	}
	var assigned error
	err = p.WithHandle(func(handle uintptr) {
		assigned = os.NewSyscallError("AssignProcessToJobObject", windows.AssignProcessToJobObject(j.handle, windows.Handle(handle)))
	})
	if err = errors.Join(err, assigned); err == nil {
		err = resume(uint32(p.Pid))
	}
	if err != nil {
		_ = p.Kill()
		_, _ = p.Wait()
		return nil, err
	}
	return p, nil
}

// resume starts the only thread of a process that was created suspended.
func resume(process uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return os.NewSyscallError("CreateToolhelp32Snapshot", err)
	}
	defer windows.CloseHandle(snapshot) //nolint:errcheck // it was only read
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != process {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return os.NewSyscallError("OpenThread", err)
		}
		_, err = windows.ResumeThread(thread)
		_ = windows.CloseHandle(thread)
		return os.NewSyscallError("ResumeThread", err)
	}
	return os.NewSyscallError("Thread32Next", err)
}

// kill kills all processes. They may still exist when it returns.
func (j *job) kill() { _ = windows.TerminateJobObject(j.handle, killedCode) }

// killedCode is the exit code of processes that were killed.
const killedCode = 1

// exitTimeout is the time to wait for the end of a process that was killed: a driver can delay it.
const exitTimeout = 5 * time.Second

// close kills all processes, waits for their end and releases the job.
func (j *job) close() {
	j.kill()
	for _, process := range j.processes() {
		handle, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(process))
		if err != nil {
			continue // it has ended
		}
		_, _ = windows.WaitForSingleObject(handle, uint32(exitTimeout.Milliseconds()))
		_ = windows.CloseHandle(handle)
	}
	_ = windows.CloseHandle(j.handle)
}

// maxProcesses limits the processes of a job whose end is awaited one by one.
const maxProcesses = 1024

// processes returns the numbers of the processes that have not ended.
func (j *job) processes() []uintptr {
	var list struct { // JOBOBJECT_BASIC_PROCESS_ID_LIST
		assigned, listed uint32
		numbers          [maxProcesses]uintptr
	}
	err := windows.QueryInformationJobObject(j.handle, windows.JobObjectBasicProcessIdList,
		uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), nil)
	if err != nil && !errors.Is(err, windows.ERROR_MORE_DATA) {
		return nil
	}
	return list.numbers[:min(list.listed, maxProcesses)]
}
