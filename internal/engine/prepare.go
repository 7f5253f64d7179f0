package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// repaired returns the calls with inputs that fit the schemas of their tools, where they can be
// repaired. The answer in the history keeps what the model wrote.
func (t *turn) repaired(calls []model.Call) []model.Call {
	calls = slices.Clone(calls)
	for i, c := range calls {
		if bound := t.s.findTool(c.Name); bound != nil {
			calls[i].Input = bound.repair(c.Input)
		}
	}
	return calls
}

// unknownTool returns the error of a call of a tool that is not offered.
func (t *turn) unknownTool(name string) error {
	if text := t.s.text(TextUnknownTool); text != "" {
		return fmt.Errorf(text, name)
	}
	if mode := t.s.tools.leftBy(name); mode != "" {
		return fmt.Errorf("%s leaves the mode %q, and the session is not in it: nothing needs to be left, go on with the work", name, mode)
	}
	var names []string
	for _, info := range t.s.Context().Tools() {
		names = append(names, info.Name)
	}
	if len(names) == 0 {
		return fmt.Errorf("unknown tool: %s; there are no tools", name)
	}
	return fmt.Errorf("unknown tool: %s; the tools are: %s", name, strings.Join(names, ", "))
}

// prepare returns what runs for a call of the tool b; nil: there is no tool of that name. The error is a
// result for the model.
func (t *turn) prepare(b *boundTool, c model.Call) (call tool.Call, err error) {
	if b == nil {
		return nil, t.unknownTool(c.Name)
	}
	if t.cutAt > 0 && c.Input.Kind() != '{' {
		return nil, fmt.Errorf("your answer was cut at the limit of %d tokens within this call, so nothing was done: make the call smaller, and write a long file in parts", t.cutAt)
	}
	if p := t.s.guard("prepare", c.Name, func() { call, err = b.prepare(t.env, c.Input) }); p != nil {
		return nil, fmt.Errorf("%s failed inside: %v", c.Name, p)
	}
	if unfit, ok := errors.AsType[*unfitError](err); ok && t.s.text(TextUnfit) != "" {
		err = fmt.Errorf(t.s.text(TextUnfit), unfit.tool, unfit.problem, abridged(c.Input))
	}
	return call, err
}

// maxRepeated is how much of an input an error repeats, in bytes.
const maxRepeated = 400

// abridged returns an input as an error repeats it: models have it in the history.
func abridged(input []byte) string {
	if len(input) <= maxRepeated {
		return string(input)
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(string(input[:maxRepeated]), ""), len(input))
}
