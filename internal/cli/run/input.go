package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/terminal"
)

// This file reads the prompt of run.

const (
	stdinLimit = 16 << 20 // bytes of a prompt
	imageLimit = 20 << 20 // bytes of an image
	stdinQuiet = 3 * time.Second
)

// promptText returns the prompt of a command line: its words, and what standard input has where
// that is a pipe or a file. Without words, or with "-", it is standard input alone. An error is one
// of the command line, unless it is an exitError.
func promptText(notes io.Writer, stdin *os.File, args []string) (string, error) {
	text := strings.Join(args, " ")
	onlyStdin := len(args) == 0 || len(args) == 1 && args[0] == "-"
	missing := errors.New("PROMPT is missing: pass it as an argument or on standard input")
	switch {
	case len(args) == 0 && !isPiped(stdin):
		return "", missing
	case onlyStdin:
		text = ""
	case !isPiped(stdin):
		return checkPrompt(text)
	}
	if !terminal.Is(stdin) {
		quiet := time.AfterFunc(stdinQuiet, func() {
			fmt.Fprintln(notes, "[waiting] reading the prompt from standard input; use </dev/null if there is none")
		})
		defer quiet.Stop()
	}
	data, err := io.ReadAll(io.LimitReader(stdin, stdinLimit+1))
	switch {
	case err != nil:
		return "", cli.Failed(fmt.Errorf("read standard input: %w", err))
	case len(data) > stdinLimit:
		return "", cli.Failed(fmt.Errorf("standard input is longer than %d MiB", stdinLimit>>20))
	}
	piped := strings.ToValidUTF8(string(data), "\uFFFD")
	empty := strings.TrimSpace(piped) == ""
	switch {
	case len(args) == 0 && empty:
		return "", missing
	case onlyStdin:
		return checkPrompt(piped)
	case empty:
		return checkPrompt(text)
	}
	return fmt.Sprintf("%s\n\n<stdin>\n%s\n</stdin>", text, strings.TrimSuffix(piped, "\n")), nil
}

func checkPrompt(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", errors.New("the prompt is empty")
	}
	return text, nil
}

// isPiped reports whether a file can have text from the caller: it is a pipe or a regular file, not a
// terminal, another device, a socket, or closed.
func isPiped(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

// readImage reads an image for a prompt.
func readImage(path string) (model.Image, error) {
	data, err := regular.ReadFile(path, imageLimit)
	if err != nil {
		return model.Image{}, fmt.Errorf("image %s: %w", path, err)
	}
	mime := http.DetectContentType(bytes.TrimSpace(data[:min(len(data), 512)]))
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mime) {
		return model.Image{}, fmt.Errorf("image %s: not a PNG, JPEG, GIF or WebP file", path)
	}
	return model.Image{MIME: mime, Data: data, Name: filepath.Base(path)}, nil
}
