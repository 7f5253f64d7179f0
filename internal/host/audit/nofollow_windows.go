package audit

import "golang.org/x/sys/windows"

// noFollow is the flag with which a symbolic link itself is opened, which is no regular file.
const noFollow = windows.FILE_FLAG_OPEN_REPARSE_POINT
