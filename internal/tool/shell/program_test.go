package shell

import (
	"errors"
	"slices"
	"testing"
)

func TestWindowsProgram(t *testing.T) {
	variables := map[string]string{"ProgramFiles": `C:\Program Files`, "LocalAppData": `C:\Users\me\AppData\Local`, "SystemRoot": `C:\Windows`}
	const (
		gitBash    = `C:\Program Files\Git\bin\bash.exe`
		windows    = `C:\Windows\System32\bash.exe`
		powershell = `C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`
		pwsh       = `C:\Program Files\PowerShell\7\pwsh.exe`
	)
	for _, test := range []struct {
		name, choice string
		onPath       map[string]string
		files        []string
		want         Program
		fails        bool
	}{
		{name: "nothing", fails: true},
		{name: "git in its usual folder", files: []string{gitBash, powershell}, want: Program{Path: gitBash}},
		{
			name: "git elsewhere", onPath: map[string]string{"git": `D:\git\cmd\git.exe`},
			files: []string{`D:\git\bin\bash.exe`, powershell}, want: Program{Path: `D:\git\bin\bash.exe`},
		},
		{
			name: "git of mingw", onPath: map[string]string{"git": `D:/git/mingw64/bin/git.exe`},
			files: []string{`D:/git\bin\bash.exe`}, want: Program{Path: `D:/git\bin\bash.exe`},
		},
		{
			name: "the bash of Windows is not used", onPath: map[string]string{"bash": windows}, files: []string{windows, powershell},
			want: Program{Path: powershell, PowerShell: true},
		},
		{
			name: "pwsh before powershell", onPath: map[string]string{"pwsh": pwsh}, files: []string{pwsh, powershell},
			want: Program{Path: pwsh, PowerShell: true},
		},
		{name: "powershell although there is bash", choice: "powershell", files: []string{gitBash, powershell}, want: Program{Path: powershell, PowerShell: true}},
		{name: "a choice that is missing", choice: "pwsh", files: []string{gitBash, powershell}, fails: true},
		{name: "a path", choice: `E:\PwSh.exe`, files: []string{`E:\PwSh.exe`, gitBash}, want: Program{Path: `E:\PwSh.exe`, PowerShell: true}},
		{name: "a path of bash", choice: `E:\bash.exe`, files: []string{`E:\bash.exe`}, want: Program{Path: `E:\bash.exe`}},
		{name: "a path that is missing", choice: `E:\bash.exe`, fails: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			look := func(name string) (string, error) {
				if path, ok := test.onPath[name]; ok {
					return path, nil
				}
				return "", errors.New("not found")
			}
			getenv := func(name string) string { return variables[name] }
			got, err := windowsProgram(test.choice, getenv, look, func(path string) bool { return slices.Contains(test.files, path) })
			if got != test.want || (err != nil) != test.fails {
				t.Errorf("%+v, %v; want %+v", got, err, test.want)
			}
		})
	}
}
