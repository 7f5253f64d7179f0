package workspace

import (
	"errors"
	"fmt"
	"strings"
)

// The errors of paths that Windows gives a meaning which their text does not show.
var (
	errDevicePath  = errors.New("it is the path of a device")
	errNetworkPath = errors.New("it is on another machine; open a session in a folder there")
	errStream      = errors.New("a name contains a colon, with which Windows names a second stream of a file, or a folder of another drive")
	errTrimmed     = errors.New("a name ends with a space or a dot, which Windows ignores")
	errReserved    = errors.New("a name is that of a device")
	errCharacter   = errors.New("a name contains one of the characters < > \" | ? *, which no file of Windows can have")
)

// checkWindowsPath returns an error for a path that Windows would open elsewhere than its text shows: a device such as NUL, a stream
// such as file.txt:stream, a folder of another drive such as C:file, and names that mean the same as others. Looking at a path of another
// machine would sign the user in there. It is a function of the text alone, so it can be tested on any system.
func checkWindowsPath(path string) error {
	path = strings.ReplaceAll(path, "/", `\`)
	switch {
	case strings.HasPrefix(path, `\\?\`), strings.HasPrefix(path, `\\.\`), strings.HasPrefix(path, `\??\`):
		return errDevicePath
	case strings.HasPrefix(path, `\\`):
		return errNetworkPath
	}
	if drive, rest, ok := strings.Cut(path, `:`); ok && len(drive) == 1 && isLetter(drive[0]) && strings.HasPrefix(rest, `\`) {
		path = rest
	}
	for name := range strings.SplitSeq(path, `\`) {
		if err := checkWindowsName(name); err != nil {
			return fmt.Errorf("%w: %s", err, DisplayName(name))
		}
	}
	return nil
}

func checkWindowsName(name string) error {
	switch {
	case name == "" || name == "." || name == "..":
		return nil
	case strings.Contains(name, ":"):
		return errStream
	case strings.ContainsAny(name, "<>\"|?*"):
		return errCharacter
	case strings.HasSuffix(name, " ") || strings.HasSuffix(name, "."):
		return errTrimmed
	case isReserved(name):
		return errReserved
	}
	return nil
}

// isReserved reports whether name is that of a device in every folder, with any extension.
func isReserved(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	name = strings.ToUpper(strings.TrimRight(name, " "))
	switch name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, ok := strings.CutPrefix(name, "COM")
	if !ok {
		port, ok = strings.CutPrefix(name, "LPT")
	}
	return ok && len([]rune(port)) == 1 && strings.Contains("0123456789¹²³", port)
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// rooted reports whether a path of Windows begins at the root of a drive that it does not name.
func rooted(path string) bool { return strings.HasPrefix(path, `\`) || strings.HasPrefix(path, "/") }
