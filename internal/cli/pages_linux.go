package cli

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// startOver is how long a server runs until what only its start needed is given back.
const startOver = time.Second

// ForgetStart soon gives back the pages of the program's own file that starting touched:
// code and tables of every package's initialisation, most of them never needed again. What
// is needed comes back from the page cache. An idle process is half as large for it.
func ForgetStart() { time.AfterFunc(startOver, forgetPages) }

func forgetPages() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	smaps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer smaps.Close()
	var begin, size uint64
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		fields := bytes.Fields(lines.Bytes())
		switch {
		case len(fields) > 4 && bytes.Contains(fields[0], []byte("-")): // from-to rights offset device inode [path]
			begin, size = 0, 0
			if len(fields) == 6 && string(fields[5]) == program && fields[1][1] != 'w' {
				begin, size = extent(fields[0])
			}
		case size > 0 && string(fields[0]) == "Anonymous:" && string(fields[1]) == "0":
			// It was never written to, not even by the loader: all of it is in the file.
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(begin), uintptr(size), unix.MADV_DONTNEED) // it is only a favour
		}
	}
}

// extent returns where a mapping begins, and its size; 0 if it cannot be read.
func extent(addresses []byte) (begin, size uint64) {
	from, to, _ := bytes.Cut(addresses, []byte("-"))
	begin, err := strconv.ParseUint(string(from), 16, 64)
	end, err2 := strconv.ParseUint(string(to), 16, 64)
	if err != nil || err2 != nil || end < begin {
		return 0, 0
	}
	return begin, end - begin
}
