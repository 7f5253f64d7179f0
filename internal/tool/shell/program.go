package shell

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"parley.dev/parley/internal/program"
)

// A Program is a shell that runs commands.
type Program struct {
	Path       string
	PowerShell bool // else it is bash, or a shell that understands most of what bash does
}

// args returns the arguments with which the program runs text.
func (p Program) args(text string) []string {
	if p.PowerShell {
		return []string{"-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command", text}
	}
	return []string{"-c", text}
}

// Variable is the environment variable that chooses the shell on Windows: bash, pwsh, powershell, or the path of one of them. Without
// it, it is the first of these that is there.
const Variable = "PARLEY_SHELL"

// Current returns the shell that runs commands: one that commands cannot write, see [program.Find]. An error means that commands cannot be
// run.
func Current() (Program, error) {
	if runtime.GOOS != "windows" {
		return Program{Path: bash(program.Find)}, nil
	}
	return windowsProgram(os.Getenv(Variable), os.Getenv, program.Find, func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular()
	})
}

// Path returns the path of the shell that runs commands.
func Path() string {
	p, _ := Current() // without one, the start of a command fails, and Check reports why
	return p.Path
}

// Args returns the arguments with which the shell runs text.
func Args(text string) []string {
	p, _ := Current()
	return p.args(text)
}

// IsPowerShell reports whether the shell is PowerShell.
func IsPowerShell() bool {
	p, _ := Current()
	return p.PowerShell
}

// Check returns an error if there is no shell.
func Check() error {
	_, err := Current()
	return err
}

// bash returns the shell to use: bash if there is one.
func bash(look func(string) (string, error)) string {
	if path, err := look("bash"); err == nil {
		return path
	}
	return "/bin/sh"
}

var errNoShell = errors.New("there is no shell to run commands: install Git for Windows, or set " + Variable + " to the path of bash.exe or pwsh.exe")

// windowsProgram returns the shell to use on Windows for a choice, which may be empty. All it knows of the system comes from the functions.
func windowsProgram(choice string, getenv func(string) string, look func(string) (string, error), exists func(string) bool) (Program, error) {
	switch choice {
	case "", "bash", "pwsh", "powershell":
	default:
		if !exists(choice) {
			return Program{}, fmt.Errorf("%s is %s: there is no such file", Variable, choice)
		}
		return Program{Path: choice, PowerShell: isPowerShell(choice)}, nil
	}
	for _, name := range []string{"bash", "pwsh", "powershell"} {
		if choice != "" && choice != name {
			continue
		}
		for _, path := range windowsPaths(name, getenv, look) {
			if exists(path) {
				return Program{Path: path, PowerShell: name != "bash"}, nil
			}
		}
	}
	if choice != "" {
		return Program{}, fmt.Errorf("%s is %s, which was not found", Variable, choice)
	}
	return Program{}, errNoShell
}

// windowsPaths returns where a shell can be. The bash of Windows itself is not among them: it runs commands in a virtual machine.
func windowsPaths(name string, getenv func(string) string, look func(string) (string, error)) (paths []string) {
	switch name {
	case "bash":
		if git, err := look("git"); err == nil {
			paths = append(paths, besideGit(git)...)
		}
		for _, variable := range []string{"ProgramFiles", "LocalAppData"} {
			if folder := getenv(variable); folder != "" {
				paths = append(paths, folder+`\Git\bin\bash.exe`, folder+`\Programs\Git\bin\bash.exe`)
			}
		}
	case "powershell":
		if root := getenv("SystemRoot"); root != "" {
			paths = append(paths, root+`\System32\WindowsPowerShell\v1.0\powershell.exe`)
		}
	}
	if path, err := look(name); err == nil && !ofWindows(path, getenv("SystemRoot")) {
		paths = append(paths, path)
	}
	return paths
}

// besideGit returns where the bash is that comes with a git.exe, which is in the folder cmd, bin or mingw64\bin.
func besideGit(git string) (paths []string) {
	folder := git
	for range 3 {
		at := strings.LastIndexAny(folder, `\/`)
		if at < 0 {
			break
		}
		folder = folder[:at]
		paths = append(paths, folder+`\bin\bash.exe`)
	}
	return paths
}

// ofWindows reports whether a path is in the folder of Windows, or that of its aliases for programs of the store.
func ofWindows(path, root string) bool {
	lower := strings.ToLower(strings.ReplaceAll(path, "/", `\`))
	return root != "" && strings.HasPrefix(lower, strings.ToLower(root)+`\`) || strings.Contains(lower, `\windowsapps\bash`)
}

func isPowerShell(path string) bool {
	name := strings.ToLower(path[strings.LastIndexAny(path, `\/`)+1:])
	return strings.HasPrefix(name, "pwsh") || strings.HasPrefix(name, "powershell")
}
