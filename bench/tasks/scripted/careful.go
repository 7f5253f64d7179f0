package scripted

import "parley.dev/parley/bench/tasks/chat"

// careful writes every call as the schema of the tool has it.
type careful struct{}

func (careful) run(s *session, command string) chat.Call {
	in := chat.Input{"command": command}
	if s.reads || s.patient {
		in["timeout_ms"] = 60_000
	}
	return chat.Call{Name: "shell", Input: in}
}

func (careful) read(_ *session, path string, from int) chat.Call {
	in := chat.Input{"path": path}
	if from > 0 {
		in["offset"] = from
	}
	return chat.Call{Name: "read", Input: in}
}

func (careful) search(_ *session, pattern, path string) chat.Call {
	return chat.Call{Name: "grep", Input: chat.Input{"pattern": pattern, "path": path, "mode": "content"}}
}

func (careful) find(_ *session, name string) chat.Call {
	return chat.Call{Name: "glob", Input: chat.Input{"pattern": "**/" + name}}
}

func (careful) edit(_ *session, path, old, new string, all bool) chat.Call {
	in := chat.Input{"path": path, "old": old, "new": new}
	if all {
		in["replace_all"] = true
	}
	return chat.Call{Name: "edit", Input: in}
}

func (careful) write(_ *session, path, text string) chat.Call {
	return chat.Call{Name: "write", Input: chat.Input{"path": path, "content": text}}
}
