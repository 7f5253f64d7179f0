package workspace

import (
	"errors"
	"testing"
)

func TestWindowsPaths(t *testing.T) {
	for path, want := range map[string]error{
		`a.txt`:                          nil,
		`dir\sub/a.txt`:                  nil,
		`..\a`:                           nil,
		`C:\Users\me\a.txt`:              nil,
		`c:/Users/me`:                    nil,
		`\Windows`:                       nil,
		`.gitignore`:                     nil,
		`console.go`:                     nil,
		`COMMENT`:                        nil,
		`com10`:                          nil,
		`C:a.txt`:                        errStream,
		`D:`:                             errStream,
		`a.txt:hidden`:                   errStream,
		`.git::$INDEX_ALLOCATION\config`: errStream,
		`C:\a\D:\b`:                      errStream,
		`CD:\a`:                          errStream,
		`NUL`:                            errReserved,
		`dir/con.txt`:                    errReserved,
		`Aux .c`:                         errReserved,
		`lpt1.tar.gz`:                    errReserved,
		`COM²`:                           errReserved,
		`conin$`:                         errReserved,
		`.git.\config`:                   errTrimmed,
		`.git \config`:                   errTrimmed,
		`...`:                            errTrimmed,
		`\\?\C:\Users`:                   errDevicePath,
		`//./pipe/x`:                     errDevicePath,
		`\??\C:\Users`:                   errDevicePath,
		`\\server\share\a`:               errNetworkPath,
		`//server/share`:                 errNetworkPath,
		`a?.txt`:                         errCharacter,
		`*`:                              errCharacter,
	} {
		if err := checkWindowsPath(path); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}
