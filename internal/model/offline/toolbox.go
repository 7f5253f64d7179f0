package offline

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
)

// toolNames is the names of tools by what they are wanted for, without case; the first offered counts.
var toolNames = lazy.Value[map[string][]string]{New: func() map[string][]string {
	return map[string][]string{
		"run":   {"bash", "shell", "exec_command", "run_command", "local_shell"},
		"read":  {"read_file", "read", "view", "cat"},
		"write": {"write_file", "write", "create_file"},
		"edit":  {"edit_file", "edit", "str_replace", "replace"},
		"find":  {"glob_search", "glob", "find", "find_files"},
		"patch": {"apply_patch"},
		"grep":  {"grep_search", "grep", "grep_files", "search"},
	}
}}

// keyNames is the names of the values of an input.
var keyNames = lazy.Value[map[string][]string]{New: func() map[string][]string {
	return map[string][]string{
		"path":    {"path", "file_path", "filePath", "filename", "file", "dir_path", "directory", "dir"},
		"pattern": {"pattern", "query", "regex", "glob"},
		"command": {"command", "cmd", "script"},
		"content": {"content", "contents", "text", "file_text"},
		"old":     {"old_string", "old_text", "oldText", "oldString", "old_str", "old"},
		"new":     {"new_string", "new_text", "newText", "newString", "new_str", "new"},
		"all":     {"replace_all", "replaceAll", "all"},
		"patch":   {"input", "patch"},
		"mode":    {"output_mode", "mode"},
	}
}}

// A toolbox is the tools of a request, found by what they do. Its methods return a call, or nil if no
// tool can do it; where there is no special tool they use the shell.
type toolbox struct {
	specs     []model.ToolSpec
	workspace string // absolute; "" if the system prompt does not say
}

func toolboxOf(req *model.Request) toolbox {
	_, rest, _ := strings.Cut(req.System, "\nWorkspace: ")
	workspace, _, _ := strings.Cut(rest, "\n")
	return toolbox{req.Tools, strings.TrimSpace(workspace)}
}

func (b toolbox) run(command string) *model.Call { return b.call("run", "command", command) }
func (b toolbox) read(file string) *model.Call   { return b.call("read", "path", file) }

// find looks for files whose name matches pattern, in dir and below.
func (b toolbox) find(pattern, dir string) *model.Call {
	inShell := fmt.Sprintf("find %s -type f -name %s -not -path '*/.git/*'", quote(dir), quote(pattern))
	return cmp.Or(b.call("find", "pattern", path.Join(dir, "**", pattern)), b.run(inShell))
}

// grep looks for lines that match the regular expression pattern, in dir and below.
func (b toolbox) grep(pattern, dir string) *model.Call {
	values := []any{"pattern", pattern}
	if dir != "." {
		values = append(values, "path", dir)
	}
	inShell := fmt.Sprintf("grep -rnE -e %s %s", quote(pattern), quote(dir))
	return cmp.Or(b.call("grep", append(values, "mode", "content")...), b.call("grep", values...), b.run(inShell))
}

// write replaces the content of file, or creates it.
func (b toolbox) write(file, content string) *model.Call {
	return cmp.Or(b.call("write", "path", file, "content", content), b.patch("Add File: "+file+marked("\n+", content)))
}

// edit replaces old by fresh wherever it stands in file, which has that content.
func (b toolbox) edit(file, content, old, fresh string) *model.Call {
	values := []any{"path", file, "old", old, "new", fresh}
	if strings.Count(content, old) > 1 {
		values = append(values, "all", true)
	}
	changed := strings.ReplaceAll(content, old, fresh)
	patch := b.patch("Update File: " + file + "\n@@" + marked("\n-", content) + marked("\n+", changed))
	return cmp.Or(b.call("edit", values...), b.call("write", "path", file, "content", changed), patch)
}

func (b toolbox) patch(body string) *model.Call {
	return b.call("patch", "patch", "*** Begin Patch\n*** "+body+"\n*** End Patch\n")
}

// marked returns the lines of text, each after mark.
func marked(mark, text string) string {
	return mark + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", mark)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// call returns a call of the tool for a job with values, which are pairs of a key of keyNames and a value;
// nil if none is offered, it has no place for a value, or it requires something else.
func (b toolbox) call(job string, values ...any) *model.Call {
	for _, name := range toolNames.Get()[job] {
		i := slices.IndexFunc(b.specs, func(s model.ToolSpec) bool { return strings.EqualFold(s.Name, name) })
		if i < 0 {
			continue
		}
		if input := b.input(b.specs[i].Schema, values); input != nil {
			return &model.Call{Name: b.specs[i].Name, Input: input}
		}
	}
	return nil
}

// input returns an input that fits a schema, its keys in the order of values; nil if none does.
func (b toolbox) input(schema jsontext.Value, values []any) jsontext.Value {
	var s struct {
		Properties map[string]struct {
			Type        jsontext.Value `json:"type"` // may be a list
			Description string         `json:"description"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	var parts []string
	used := map[string]bool{}
	for pair := range slices.Chunk(values, 2) {
		i := slices.IndexFunc(keyNames.Get()[pair[0].(string)], func(key string) bool { _, ok := s.Properties[key]; return ok && !used[key] })
		if i < 0 {
			return nil
		}
		key, value := keyNames.Get()[pair[0].(string)][i], pair[1]
		if property := s.Properties[key]; strings.Contains(string(property.Type), "array") {
			value = []string{"bash", "-c", fmt.Sprint(value)}
		} else if pair[0] == "path" && strings.Contains(property.Description, "absolute") && !path.IsAbs(fmt.Sprint(value)) {
			value = path.Join(b.workspace, fmt.Sprint(value))
		}
		used[key] = true
		text, err := json.Marshal(value)
		if err != nil {
			return nil
		}
		parts = append(parts, fmt.Sprintf("%q:%s", key, text))
	}
	if slices.ContainsFunc(s.Required, func(key string) bool { return !used[key] }) {
		return nil
	}
	return jsontext.Value("{" + strings.Join(parts, ",") + "}")
}
