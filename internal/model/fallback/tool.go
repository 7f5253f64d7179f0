package fallback

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
)

// toolRule is a refusal for one of the tools, which is left out then. OpenAI: "Invalid schema for
// function 'x': …"; Anthropic: "tools.3.custom.input_schema: …"; Gemini: "tools[0].function_declarations[3].parameters…".
var toolRule = Rule{
	Name: "tool", Says: []string{"function '", "function \"", "function `", "tools.", "tools[", "function_declarations["},
	Also: []string{"schema", "function.name", ".name", "parameters", "properties", "items", "unknown name"},
	Change: func(refused *model.Request, err *model.Error) Change {
		at := namedTool(refused.Tools, err.Message)
		if at < 0 {
			return nil
		}
		bad := refused.Tools[at]
		is := func(t model.ToolSpec) bool { return t.Name == bad.Name && bytes.Equal(t.Schema, bad.Schema) }
		return func(req *model.Request) *model.Request {
			if !slices.ContainsFunc(req.Tools, is) {
				return req
			}
			out := *req
			out.Tools = slices.DeleteFunc(slices.Clone(req.Tools), is)
			return &out
		}
	},
	Notice: func(refused, changed *model.Request, err *model.Error) string {
		for i, t := range refused.Tools {
			if i == len(changed.Tools) || changed.Tools[i].Name != t.Name {
				return fmt.Sprintf("the endpoint refused the tool %s, which the model is no longer offered: %s", t.Name, err.Message)
			}
		}
		return ""
	},
}

var (
	functionName = lazy.Regexp{Expr: "(?i)function ['\"`]([^'\"`]+)['\"`]"}
	declaration  = lazy.Regexp{Expr: `function_declarations\[(\d+)\]`}
	toolNumber   = lazy.Regexp{Expr: `\btools(?:\.|\[)(\d+)\b`}
)

// namedTool returns the number of the tool that a refusal names; -1: it names none.
func namedTool(tools []model.ToolSpec, message string) int {
	if found := functionName.Get().FindStringSubmatch(message); found != nil {
		return slices.IndexFunc(tools, func(t model.ToolSpec) bool { return t.Name == found[1] })
	}
	number := declaration.Get().FindStringSubmatch(message)
	if number == nil && !strings.Contains(message, "function_declarations") {
		number = toolNumber.Get().FindStringSubmatch(message)
	}
	if number == nil {
		return -1
	}
	if n, err := strconv.Atoi(number[1]); err == nil && n < len(tools) {
		return n
	}
	return -1
}
