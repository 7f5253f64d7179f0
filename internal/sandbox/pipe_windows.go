package sandbox

import (
	"crypto/rand"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// outputPipe returns a pipe whose reading end has deadlines. A pipe of os.Pipe has none on Windows: a read of it could not be ended while a
// process that could not be found has the other end open. The name is random, and only the first process to create it succeeds.
func outputPipe() (from, end *os.File, err error) {
	name, err := windows.UTF16PtrFromString(`\\.\pipe\parley-` + rand.Text())
	if err != nil {
		return nil, nil, err
	}
	const oneInstance = 1
	reader, err := windows.CreateNamedPipe(name,
		windows.PIPE_ACCESS_INBOUND|windows.FILE_FLAG_OVERLAPPED|windows.FILE_FLAG_FIRST_PIPE_INSTANCE,
		windows.PIPE_TYPE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, oneInstance, bufferSize, bufferSize, 0, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("create a pipe: %w", err)
	}
	writer, err := windows.CreateFile(name, windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		_ = windows.CloseHandle(reader)
		return nil, nil, fmt.Errorf("open a pipe: %w", err)
	}
	return os.NewFile(uintptr(reader), "output"), os.NewFile(uintptr(writer), "output"), nil
}

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// readAvailable reads what is in a pipe, and does not wait; 0 if there is nothing, or an error.
func readAvailable(from *os.File, buffer []byte) (n int) {
	raw, err := from.SyscallConn()
	if err != nil {
		return 0
	}
	var available uint32
	_ = raw.Control(func(handle uintptr) {
		ok, _, _ := syscall.SyscallN(peekNamedPipe.Addr(), handle, 0, 0, 0, uintptr(unsafe.Pointer(&available)), 0)
		if ok == 0 {
			available = 0
		}
	})
	if available == 0 {
		return 0
	}
	n, _ = from.Read(buffer[:min(len(buffer), int(available))])
	return max(n, 0)
}
