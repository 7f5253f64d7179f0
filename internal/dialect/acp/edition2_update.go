package acp

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/acp/v2"
)

// update implements edition.
func (edition2) update(update any) any {
	switch u := update.(type) {
	case CurrentModeUpdate: // the mode is an option
		return nil
	case ToolCall:
		return toolCall2(u)
	case PlanUpdate:
		plan := v2.Plan{Type: "items", PlanID: "plan", Entries: []jsontext.Value{}}
		for _, entry := range u.Entries {
			plan.Entries = append(plan.Entries, marshal(entry))
		}
		return v2.PlanUpdate{SessionUpdate: "plan_update", Plan: plan}
	case AvailableCommandsUpdate:
		all := v2.AvailableCommandsUpdate{SessionUpdate: u.SessionUpdate, AvailableCommands: []v2.Command{}}
		for _, c := range u.AvailableCommands {
			command := v2.Command{Type: "command", Name: c.Name, Description: c.Description}
			if c.Input != nil {
				command.Input = &v2.CommandInput{Type: "text", Hint: c.Input.Hint}
			}
			all.AvailableCommands = append(all.AvailableCommands, command)
		}
		return all
	case ConfigOptionUpdate:
		return v2.ConfigOptionUpdate{SessionUpdate: u.SessionUpdate, ConfigOptions: options2(u.ConfigOptions)}
	}
	return update
}

// toolCall2 returns a call: the first update of it creates it.
func toolCall2(c ToolCall) v2.ToolCall {
	shown := v2.ToolCall{
		SessionUpdate: "tool_call_update", ToolCallID: c.ToolCallID, Title: c.Title, Name: c.Name, Kind: string(c.Kind), Status: string(c.Status), RawInput: c.RawInput,
	}
	for _, content := range c.Content {
		if diff, ok := content.(DiffOfTool); ok {
			shown.Content = append(shown.Content, diff2(diff))
			continue
		}
		shown.Content = append(shown.Content, content)
	}
	for _, at := range c.Locations {
		shown.Locations = append(shown.Locations, marshal(at))
	}
	if c.RawOutput != nil {
		shown.RawOutput = marshal(c.RawOutput)
	}
	if c.Meta != nil {
		shown.Meta = marshal(c.Meta)
	}
	return shown
}

// diff2 returns the change of a file, with its diff where that is known.
func diff2(d DiffOfTool) v2.Diff {
	change := v2.DiffChange{Operation: "modify", Path: d.Path}
	switch {
	case d.OldText == nil:
		change.Operation = "add"
	case d.deleted:
		change.Operation = "delete"
	}
	shown := v2.Diff{Type: "diff", Changes: []v2.DiffChange{change}}
	if d.patch != "" {
		shown.Patch = &v2.Patch{Format: "git_patch", Text: d.patch}
	}
	return shown
}

func options2(options []ConfigOption) []v2.ConfigOption {
	all := make([]v2.ConfigOption, len(options))
	for i, o := range options {
		all[i] = v2.ConfigOption{ConfigID: o.ID, Name: o.Name, Description: o.Description, Category: o.Category, Type: o.Type, CurrentValue: o.CurrentValue}
		for _, value := range o.Options {
			all[i].Options = append(all[i].Options, v2.ConfigValue(value))
		}
	}
	return all
}
