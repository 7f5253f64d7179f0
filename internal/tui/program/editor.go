package program

import (
	"cmp"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/tui/screen"
)

// edit opens the editor of the user with a text, and sends what it has become.
func (c *console) edit(text string) tea.Cmd {
	file, err := os.CreateTemp("", "parley-prompt-*.md")
	if err == nil {
		_, err = file.WriteString(text)
		if cerr := file.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		return func() tea.Msg { return screen.Edited{Err: err} }
	}
	editor := cmp.Or(c.o.Getenv("VISUAL"), c.o.Getenv("EDITOR"), "vi")
	// The variable is shell text: it may have arguments.
	cmd := exec.Command("/bin/sh", "-c", editor+` "$1"`, "sh", file.Name())
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.Remove(file.Name())
		data, rerr := regular.ReadFile(file.Name(), maxEdited)
		if err == nil {
			err = rerr
		}
		return screen.Edited{Text: strings.TrimSuffix(string(data), "\n"), Err: err}
	})
}

// maxEdited is the greatest size of the text that an editor has written, in bytes.
const maxEdited = 16 << 20
