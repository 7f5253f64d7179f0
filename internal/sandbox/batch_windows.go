package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"
)

// batchSpecial are characters that cmd.exe interprets in the arguments of a batch file, whatever quotes are around them.
const batchSpecial = "\"%!^&|<>\r\n"

// checkBatch returns an error if args cannot be passed to the program at path without being changed: Windows runs batch files with
// cmd.exe, which would take a part of such an argument as a command.
func checkBatch(path string, args []string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".bat", ".cmd":
	default:
		return nil
	}
	for _, arg := range args {
		if strings.ContainsAny(arg, batchSpecial) {
			return fmt.Errorf("%s is a batch file, so the argument %q cannot be passed to it safely; run the program that it starts", filepath.Base(path), arg)
		}
	}
	return nil
}
