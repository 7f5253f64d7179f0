package approval

import "mvdan.cc/sh/v3/syntax"

// A Pipeline is commands of a shell line of which each reads the output of the one before.
type Pipeline struct {
	Text     string     // as the line has it
	Commands [][]string // the program and its arguments
}

// Pipelines returns the pipelines of a Trusted line in their order, whatever joins them. It returns nil for any other line, and
// where a pattern of file names makes arguments that the line does not show.
func Pipelines(line string) []Pipeline {
	if !Trusted(line) {
		return nil
	}
	file, err := ParseShell(line)
	if err != nil {
		return nil
	}
	var all []Pipeline
	for _, s := range file.Stmts {
		found := pipelinesOf(line, s)
		if found == nil {
			return nil
		}
		all = append(all, found...)
	}
	return all
}

func pipelinesOf(line string, s *syntax.Stmt) []Pipeline {
	if both, ok := s.Cmd.(*syntax.BinaryCmd); ok && both.Op != syntax.Pipe {
		first, second := pipelinesOf(line, both.X), pipelinesOf(line, both.Y)
		if first == nil || second == nil {
			return nil
		}
		return append(first, second...)
	}
	commands := pipedCommands(s)
	if commands == nil {
		return nil
	}
	return []Pipeline{{line[s.Cmd.Pos().Offset():s.Cmd.End().Offset()], commands}}
}

// pipedCommands returns the commands of a statement; nil: it is not one pipeline of them.
func pipedCommands(s *syntax.Stmt) [][]string {
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		first, second := pipedCommands(c.X), pipedCommands(c.Y)
		if c.Op != syntax.Pipe || first == nil || second == nil {
			return nil
		}
		return append(first, second...)
	case *syntax.CallExpr:
		var words []string
		for _, word := range c.Args {
			arg, ok := plainWord(word)
			if !ok || arg.glob {
				return nil
			}
			words = append(words, arg.text)
		}
		return [][]string{words}
	}
	return nil
}
