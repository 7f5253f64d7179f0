package engine

import (
	"cmp"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/arguments"
	"parley.dev/parley/internal/tool"
)

// bindings is an Options.Toolset: the same slice is the same toolset.
type bindings struct {
	first *Binding
	n     int
}

// toolset returns what is made of an Options.Toolset.
func (h *Host) toolset(all []Binding) toolset {
	if len(all) == 0 {
		return toolset{}
	}
	return h.toolsets.Get(bindings{&all[0], len(all)}, func(bindings) toolset { return newToolset(all, h.cfg.Tools) })
}

// A toolset is the tools of sessions, by their bindings.
type toolset struct {
	bound []*boundTool
}

type boundTool struct {
	Binding
	tool   tool.Tool
	schema func() (*jsonschema.Resolved, error)
	core   func() (*jsonschema.Resolved, error) // of the tool's own input

	ownSchema bool // Binding.Schema is the tool's own
}

func newToolset(bindings []Binding, find func(string) (tool.Tool, bool)) toolset {
	var ts toolset
	for _, b := range bindings {
		if b.Own != nil {
			ts.bound = append(ts.bound, bind(b, b.Own))
		} else if t, ok := find(b.Tool); ok { // else it is not in this build
			ts.bound = append(ts.bound, bind(b, t))
		}
	}
	return ts
}

// bind returns a binding with everything that it leaves to its tool.
func bind(b Binding, t tool.Tool) *boundTool {
	if b.Description == "" {
		b.Description = t.Description()
	}
	ownSchema := b.Schema == nil
	if ownSchema {
		b.Schema = t.Schema()
	}
	resolved := func(raw jsontext.Value) func() (*jsonschema.Resolved, error) {
		return sync.OnceValues(func() (*jsonschema.Resolved, error) { return resolveSchema(raw) })
	}
	return &boundTool{Binding: b, tool: t, ownSchema: ownSchema, schema: resolved(b.Schema), core: resolved(t.Schema())}
}

func resolveSchema(raw jsontext.Value) (*jsonschema.Resolved, error) {
	var schema jsonschema.Schema
	if err := stdjson.Unmarshal(raw, &schema); err != nil { // the library's types are made for it
		return nil, fmt.Errorf("read tool schema: %w", err)
	}
	return schema.Resolve(nil)
}

// shown returns the name that models have for our tool of that name; "": there is none.
func (ts toolset) shown(tool string) string {
	for _, b := range ts.bound {
		if b.Tool == tool {
			return b.Name
		}
	}
	return ""
}

// leftBy returns the mode that the tool with that name leaves, offered or not; "": none.
func (ts toolset) leftBy(name string) string {
	for _, b := range ts.bound {
		if b.Name == name {
			return b.leaves()
		}
	}
	return ""
}

// offered returns the tools that are offered with these groups in that mode; "": in none of those that a tool leaves.
func (ts toolset) offered(groups []string, mode string, env *tool.Env) []*boundTool {
	var offered []*boundTool
	for _, b := range ts.bound {
		if left := b.leaves(); b.on(groups, env) && (left == "" || left == mode) {
			offered = append(offered, b)
		}
	}
	return offered
}

// on reports whether the tool is offered: its group is switched on, and it can work here.
func (b *boundTool) on(groups []string, env *tool.Env) bool {
	return (b.Group == "" || slices.Contains(groups, b.Group)) && b.works(env)
}

// leaves returns the mode that the tool leaves; "": none.
func (b *boundTool) leaves() string {
	if leaver, ok := b.tool.(tool.ModeLeaver); ok {
		return leaver.LeavesMode()
	}
	return ""
}

// described returns the description in env.
func (b *boundTool) described(env *tool.Env) string {
	if d, ok := b.tool.(tool.Described); ok && env != nil {
		return strings.TrimRight(b.Description+"\n\n"+d.More(env), "\n")
	}
	return b.Description
}

// offeredSchema returns the schema that models are offered in env. A schema that the binding has
// of its own is offered everywhere.
func (b *boundTool) offeredSchema(env *tool.Env) jsontext.Value {
	r, ok := b.tool.(tool.Restricted)
	if !ok || env == nil || !b.ownSchema {
		return b.Schema
	}
	return r.OfferedSchema(env)
}

// works reports whether the tool can work in env.
func (b *boundTool) works(env *tool.Env) bool {
	optional, ok := b.tool.(tool.Optional)
	return !ok || env != nil && optional.Available(env)
}

// repair returns an input with what models often get wrong put right: what clients, hooks and
// the user sees of the call. It is as it came if it does not fit the schema even so.
func (b *boundTool) repair(input jsontext.Value) jsontext.Value {
	schema, err := b.schema()
	if err != nil {
		return input
	}
	repaired := arguments.Repair(schema.Schema(), input)
	var instance map[string]any
	if json.Unmarshal(repaired, &instance) != nil || schema.Validate(instance) != nil {
		return input
	}
	return repaired
}

// prepare checks an input against the shown schema and hands it to the tool. An error is
// a result for the model.
func (b *boundTool) prepare(env *tool.Env, input jsontext.Value) (tool.Call, error) {
	own, err := b.own(input)
	if err != nil {
		return nil, err
	}
	return b.tool.Prepare(env, own)
}

// own returns an input that fits the shown schema, in the tool's own words.
func (b *boundTool) own(input jsontext.Value) (jsontext.Value, error) {
	schema, err := b.schema()
	if err != nil {
		return nil, err
	}
	if input.Kind() != '{' {
		return nil, errors.New("the input is not a JSON object")
	}
	var instance map[string]any
	if err := json.Unmarshal(input, &instance); err != nil {
		return nil, fmt.Errorf("the input is not valid JSON: %w", err)
	}
	if err := schema.Validate(instance); err != nil && !b.checksItself() {
		faults := arguments.Faults(schema.Schema(), arguments.Repair(schema.Schema(), input)) // not those that could be repaired
		return nil, &unfitError{b.Name, cmp.Or(faults, plainSchemaError(err))}
	}
	if b.Adapt != nil {
		return b.Adapt(input)
	}
	return input, nil
}

// checksItself reports whether the tool's server checks inputs. Many servers take more than
// their schema allows: the common generators list properties with a default as required.
func (b *boundTool) checksItself() bool {
	_, ok := b.tool.(tool.Checker)
	return ok && b.ownSchema
}

// result returns a result of the tool as the model reads it, given the shown input.
func (b *boundTool) result(input jsontext.Value, r tool.Result) tool.Result {
	if b.AdaptResult == nil {
		return r
	}
	adapted := b.AdaptResult(input, CallResult{r.Text, r.IsError, r.Folder, r.Matches, r.Changes})
	r.Text, r.IsError = adapted.Text, adapted.Failed
	return r
}

// An unfitError reports why an input does not fit its tool's schema.
type unfitError struct{ tool, problem string }

func (e *unfitError) Error() string {
	return fmt.Sprintf("the input does not fit the schema of %s: %s", e.tool, e.problem)
}

// plainSchemaError turns the library's path into the schema into one into the input:
// "validating root: validating /properties/offset: minimum: …" is "offset: minimum: …".
func plainSchemaError(err error) string {
	text := err.Error()
	i := strings.LastIndex(text, "validating ")
	if i < 0 {
		return text
	}
	path, problem, ok := strings.Cut(text[i+len("validating "):], ": ")
	if !ok {
		return text
	}
	path = strings.NewReplacer("/properties/", ".", "/items", "[]").Replace(path)
	if path = strings.TrimPrefix(strings.TrimPrefix(path, "root"), "."); path != "" {
		return path + ": " + problem
	}
	return problem
}

// A ToolInfo is what a client may know of a tool that is offered now.
type ToolInfo struct {
	Name        string
	Description string
	Schema      jsontext.Value
	Tool        string // our name
	Group       string
}

// Bindings returns the tools that a new session with these options would be offered in dir, whatever its model.
func (h *Host) Bindings(dir string, o Options) []ToolInfo {
	env, err := h.cfg.Env(dir)
	if err != nil {
		return nil
	}
	defer env.Workspace.Close()
	o = h.withTasks(o)
	env.Tasks = o.Tasks
	var infos []ToolInfo
	for _, b := range h.toolset(o.Toolset).offered(nil, "", env) {
		if !b.suits("") {
			continue
		}
		infos = append(infos, ToolInfo{b.Name, b.described(env), b.offeredSchema(env), b.Tool, b.Group})
	}
	return infos
}

// origin returns the server that has the tool, if one does, and the tool's name there or here.
func (b *boundTool) origin() (server, name string) {
	if r, ok := b.tool.(tool.Remote); ok {
		return r.Origin()
	}
	return "", b.Tool
}

// withTasks returns the options with subagents, where only the host says how they work. The tool has
// our name if the options do not show it under another.
func (h *Host) withTasks(o Options) Options {
	if o.Tasks != nil || o.inner || h.cfg.Tasks == nil {
		return o
	}
	o.Tasks = h.cfg.Tasks
	if !slices.ContainsFunc(o.Toolset, func(b Binding) bool { return b.Tool == taskTool }) {
		o.Toolset = append(slices.Clone(o.Toolset), Binding{Name: taskTool, Tool: taskTool})
	}
	return o
}
