package conform

import (
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// commandTools are names of tools that run commands, the likeliest first.
var commandTools = []string{"exec_command", "shell_command", "bash", "shell", "run_command", "execute_command", "run_shell_command", "run_terminal_command", "terminal", "local_shell", "execute"}

// A modelTool is a tool in a request, on any wire.
type modelTool struct {
	Name       string     `json:"name"`
	Parameters toolSchema `json:"parameters"`   // Responses
	Input      toolSchema `json:"input_schema"` // Messages
	Function   struct {   // Chat Completions
		Name       string     `json:"name"`
		Parameters toolSchema `json:"parameters"`
	} `json:"function"`
}

// A toolSchema is what is read of the schema of a tool's arguments.
type toolSchema struct {
	Properties map[string]struct {
		Type any `json:"type"` // a word, or several
	} `json:"properties"`
	Required []string `json:"required"`
}

// runs returns the name and the arguments of a call that runs a command, by the tools that a request offers.
func runs(tools []modelTool, command string) (name, arguments string, err error) {
	offered := map[string]toolSchema{}
	var names []string
	for _, t := range tools {
		for _, other := range []modelTool{t, {Name: t.Function.Name, Parameters: t.Function.Parameters}} {
			schema := other.Parameters
			if schema.Properties == nil {
				schema = other.Input
			}
			if other.Name != "" {
				offered[other.Name] = schema
				names = append(names, other.Name)
			}
		}
	}
	for _, likely := range commandTools {
		for _, name := range names {
			if !strings.EqualFold(name, likely) {
				continue
			}
			if arguments, ok := argumentsOf(offered[name], command); ok {
				return name, arguments, nil
			}
		}
	}
	if len(names) == 0 {
		return "", "", errors.New("it offers no tools to its model")
	}
	return "", "", errors.New("no tool that it offers to its model is known to run commands: " + strings.Join(names, ", "))
}

// argumentsOf returns the arguments with which a tool runs a command.
func argumentsOf(s toolSchema, command string) (string, bool) {
	i := slices.IndexFunc([]string{"command", "cmd"}, func(name string) bool { _, ok := s.Properties[name]; return ok })
	if i < 0 {
		return "", false
	}
	main := []string{"command", "cmd"}[i]
	arguments := map[string]any{main: any(command)}
	if s.Properties[main].Type == "array" {
		arguments[main] = []string{"bash", "-lc", command}
	}
	for _, name := range s.Required {
		if _, given := arguments[name]; !given && s.Properties[name].Type == "string" {
			arguments[name] = "Run the command"
		}
	}
	out, err := json.Marshal(arguments, json.Deterministic(true))
	return string(out), err == nil
}
