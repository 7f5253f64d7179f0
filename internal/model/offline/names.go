package offline

// A job is what a tool can be wanted for; toolNames has the names it goes by.
type job string

const (
	runJob    job = "run"
	readJob   job = "read"
	writeJob  job = "write"
	editJob   job = "edit"
	patchJob  job = "patch"
	findJob   job = "find"
	folderJob job = "folder"
	grepJob   job = "grep"
)

// toolNames is the names under which a job is offered, without case; the first offered counts.
var toolNames = map[job][]string{
	runJob:    {"bash", "shell", "exec_command", "run_command", "local_shell"},
	readJob:   {"read_file", "read", "view", "cat"},
	writeJob:  {"write_file", "write", "create_file"},
	editJob:   {"edit_file", "edit", "str_replace", "replace"},
	patchJob:  {"apply_patch", "patch"},
	findJob:   {"glob_search", "glob", "find", "find_files"},
	folderJob: {"list_dir", "ls", "list_directory", "list"},
	grepJob:   {"grep_search", "grep", "grep_files", "search"},
}

// A slot is one value of an input; keyNames has the property names it goes by.
type slot string

const (
	pathSlot    slot = "path"
	patternSlot slot = "pattern"
	commandSlot slot = "command"
	contentSlot slot = "content"
	oldSlot     slot = "old"
	newSlot     slot = "new"
	allSlot     slot = "all"
	patchSlot   slot = "patch"
	modeSlot    slot = "mode"
)

var keyNames = map[slot][]string{
	pathSlot:    {"path", "file_path", "filePath", "filename", "file", "dir_path", "directory", "dir"},
	patternSlot: {"pattern", "query", "regex", "glob"},
	commandSlot: {"command", "cmd", "script"},
	contentSlot: {"content", "contents", "text", "file_text"},
	oldSlot:     {"old_string", "old_text", "oldText", "oldString", "old_str", "old"},
	newSlot:     {"new_string", "new_text", "newText", "newString", "new_str", "new"},
	allSlot:     {"replace_all", "replaceAll", "all"},
	patchSlot:   {"input", "patch"},
	modeSlot:    {"output_mode", "mode"},
}
