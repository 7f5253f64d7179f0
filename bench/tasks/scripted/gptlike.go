package scripted

import (
	"fmt"

	"parley.dev/parley/bench/tasks/chat"
)

// gptLike does nearly everything in the shell, with commands as lists of words.
type gptLike struct{}

func (f gptLike) run(s *session, command string) chat.Call {
	in := chat.Input{"command": []any{"bash", "-lc", command}, "workdir": s.work, "timeout_ms": s.task.Patience}
	if s.exact {
		in = chat.Input{"command": command}
	}
	if s.patient {
		in["timeout_ms"] = 60_000
	}
	return chat.Call{Name: "shell", Input: in}
}

func (f gptLike) read(s *session, path string, from int) chat.Call {
	from = max(from, 1)
	return f.run(s, fmt.Sprintf("sed -n '%d,%dp' %s", from, from+199, path))
}

func (f gptLike) search(s *session, pattern, path string) chat.Call {
	return f.run(s, fmt.Sprintf("grep -rnE %s %s", quote(pattern), path))
}

func (f gptLike) find(s *session, name string) chat.Call {
	return f.run(s, "find . -name "+quote(name))
}

func (gptLike) edit(s *session, path, old, new string, all bool) chat.Call {
	return careful{}.edit(s, path, old, new, all)
}

func (f gptLike) write(s *session, path, text string) chat.Call {
	return f.run(s, fmt.Sprintf("cat > %s <<'EOF'\n%sEOF", path, text))
}
