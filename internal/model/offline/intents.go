package offline

import (
	"fmt"
	"path"
	"strings"

	"parley.dev/parley/internal/model"
)

// The methods of toolbox return a call of the offered tool for an intent of the demo, or nil if no
// tool can do it. If there is no special tool they use the shell.

func (b toolbox) run(command string) *model.Call {
	return b.call(runJob, filling{slot: commandSlot, value: command})
}

func (b toolbox) read(file string) *model.Call {
	if c := b.call(readJob, filling{slot: pathSlot, value: file}); c != nil {
		return c
	}
	return b.run("cat -- " + quote(file))
}

// find looks for files whose name matches pattern, in dir and below.
func (b toolbox) find(pattern, dir string) *model.Call {
	fillings := []filling{{slot: patternSlot, value: path.Join(dir, "**", pattern)}}
	if dir == "." {
		fillings[0].value = "**/" + pattern
	}
	if c := b.call(findJob, fillings...); c != nil {
		return c
	}
	if pattern == "*" {
		if c := b.call(folderJob, filling{slot: pathSlot, value: dir}); c != nil {
			return c
		}
	}
	return b.run(fmt.Sprintf("find %s -type f -name %s -not -path '*/.git/*'", quote(dir), quote(pattern)))
}

// grep looks for lines that match the regular expression pattern, in dir and below.
func (b toolbox) grep(pattern, dir string) *model.Call {
	fillings := []filling{
		{slot: patternSlot, value: pattern},
		{slot: modeSlot, value: "content", optional: true},
	}
	if dir != "." {
		fillings = append(fillings, filling{slot: pathSlot, value: dir})
	}
	if c := b.call(grepJob, fillings...); c != nil {
		return c
	}
	return b.run(fmt.Sprintf("grep -rnE -e %s %s", quote(pattern), quote(dir)))
}

// write replaces the content of file, or creates it.
func (b toolbox) write(file, content string) *model.Call {
	c := b.call(writeJob, filling{slot: pathSlot, value: file}, filling{slot: contentSlot, value: content})
	if c == nil {
		c = b.patch("*** Add File: " + file + "\n" + prefixed("+", content))
	}
	if c == nil {
		c = b.run(fmt.Sprintf("printf %%s %s > %s", quote(content), quote(file)))
	}
	return c
}

// edit replaces old by new in file, which holds content; everywhere if all is set, else
// old must stand there once.
func (b toolbox) edit(file, content, old, fresh string, all bool) *model.Call {
	fillings := []filling{{slot: pathSlot, value: file}, {slot: oldSlot, value: old}, {slot: newSlot, value: fresh}}
	if all {
		fillings = append(fillings, filling{slot: allSlot, value: true})
	}
	if c := b.call(editJob, fillings...); c != nil {
		return c
	}
	changed := strings.ReplaceAll(content, old, fresh)
	if c := b.call(writeJob, filling{slot: pathSlot, value: file}, filling{slot: contentSlot, value: changed}); c != nil {
		return c
	}
	return b.patch("*** Update File: " + file + "\n@@\n" + prefixed("-", content) + prefixed("+", changed))
}

func (b toolbox) patch(body string) *model.Call {
	return b.call(patchJob, filling{slot: patchSlot, value: "*** Begin Patch\n" + body + "*** End Patch\n"})
}

// prefixed returns the lines of text, each after mark.
func prefixed(mark, text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
	}
	return out.String()
}

// quote returns s as one word of a shell command.
func quote(s string) string {
	if s != "" && !strings.ContainsFunc(s, unsafe) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func unsafe(r rune) bool {
	return !(r == '/' || r == '.' || r == '_' || r == '-' ||
		'0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
}
