package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// shells are those that have a completion, and the end of the name of its file.
var shells = map[string]string{"bash": ".bash", "zsh": ".zsh", "fish": ".fish", "powershell": ".ps1"}

// writtenTexts returns the manual pages and completions that the program parley writes.
func writtenTexts(parley string, date time.Time) ([]file, error) {
	folder, err := os.MkdirTemp("", "release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if _, err := output(folder, parley, "man", "--date", date.Format(time.DateOnly), "man"); err != nil {
		return nil, err
	}
	pages, err := filepath.Glob(filepath.Join(folder, "man", "*.1"))
	if err == nil && len(pages) == 0 {
		err = fmt.Errorf("%s has written no manual pages", parley)
	}
	if err != nil {
		return nil, err
	}
	var files []file
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		files = append(files, file{manual, "man/" + filepath.Base(page), data})
	}
	for shell, suffix := range shells {
		script, err := output(folder, parley, "completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{completion, "completions/parley" + suffix, script})
	}
	return files, nil
}

// output runs a program in a folder, which is also its home, and returns what it prints.
func output(folder, name string, args ...string) ([]byte, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	var errors bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = folder, []string{"HOME=" + folder, "PATH=" + os.Getenv("PATH")}, &errors
	printed, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w: %s", name, args, err, bytes.TrimSpace(errors.Bytes()))
	}
	return printed, nil
}
