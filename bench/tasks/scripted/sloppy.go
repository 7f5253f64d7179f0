package scripted

import (
	"strconv"

	"parley.dev/parley/bench/tasks/chat"
)

// sloppy writes calls from memory: names of other agents, numbers and lists as texts, nulls. It changes
// from one form to the next with each call, until an error shows it the right one.
type sloppy struct{}

// turnOf returns which of n forms the next call has.
func (sloppy) turnOf(s *session, n int) int { return s.calls % n }

func (f sloppy) run(s *session, command string) chat.Call {
	in := careful{}.run(s, command).Input
	switch {
	case s.exact:
	case f.turnOf(s, 3) == 0:
		in = chat.Input{"cmd": command, "explanation": "Runs a command."}
	case f.turnOf(s, 3) == 1:
		in["dir"] = nil
	default:
		in["description"] = "Runs a command."
	}
	if !s.patient {
		in["timeout_ms"] = strconv.Itoa(s.task.Patience)
	} else {
		in["timeout_ms"] = "60000"
	}
	return chat.Call{Name: "shell", Input: in}
}

func (f sloppy) read(s *session, path string, from int) chat.Call {
	in := careful{}.read(s, path, from).Input
	switch {
	case s.exact:
	case f.turnOf(s, 2) == 0:
		in = chat.Input{"file_path": path, "offset": nil, "limit": nil}
		if from > 0 {
			in["offset"] = strconv.Itoa(from)
		}
	default:
		in["line_numbers"] = "true"
	}
	return chat.Call{Name: "read", Input: in}
}

func (sloppy) search(s *session, pattern, path string) chat.Call {
	if s.exact {
		return careful{}.search(s, pattern, path)
	}
	return chat.Call{Name: "grep", Input: chat.Input{"query": pattern, "path": path, "output_mode": "content"}}
}

func (sloppy) find(_ *session, _ string) chat.Call {
	return chat.Call{Name: "list", Input: chat.Input{"depth": "3"}}
}

func (f sloppy) edit(s *session, path, old, new string, all bool) chat.Call {
	in := careful{}.edit(s, path, old, new, all).Input
	one := chat.Input{"old_string": old, "new_string": new}
	if all {
		one["replace_all"] = "true"
	}
	switch {
	case s.exact:
	case f.turnOf(s, 4) == 0:
		one["file_path"] = path
		in = one
	case f.turnOf(s, 4) == 1:
		in = chat.Input{"path": path, "edits": "[" + one.JSON() + "]"}
	case f.turnOf(s, 4) == 2:
		in = chat.Input{"path": path, "edits": map[string]any(one)}
	default:
		in["edits"] = []any{}
		in["replace_all"] = strconv.FormatBool(all)
	}
	return chat.Call{Name: "edit", Input: in}
}

func (f sloppy) write(s *session, path, text string) chat.Call {
	in := careful{}.write(s, path, text).Input
	if !s.exact && f.turnOf(s, 2) == 0 {
		in = chat.Input{"file_path": path, "contents": text}
	}
	return chat.Call{Name: "write", Input: in}
}
