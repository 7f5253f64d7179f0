package scaiflux

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file contains the commands that show or change model, mode and gadgets.

// shownModel is a model as the protocol shows it.
type shownModel struct {
	name      string
	window    int // tokens
	maxTokens int // output cap of a model call
}

func (c *conn) modelInfo() shownModel {
	info, err := c.session.Context().Model()
	m := shownModel{name: c.session.State().Settings.Model, window: info.ContextWindow, maxTokens: c.cfg.Flags.MaxTokens}
	if m.name == "" && err == nil {
		m.name = info.Provider + "/" + info.ID
	}
	if m.maxTokens == 0 {
		m.maxTokens = engine.OutputCap(info)
	}
	return m
}

// contextPercent returns how full the context window is, and the tokens in it.
func (c *conn) contextPercent() (pct, used int) {
	r := c.session.Context().Report()
	return percent(r.Used, r.Window), r.Used
}

func (c *conn) change(edit func(*event.Settings)) *outcome {
	if err := c.client.Change(edit); err != nil {
		o := cannot("internal", err.Error())
		return &o
	}
	return nil
}

type modelList struct {
	Model     string   `json:"model"`
	Available []string `json:"available"`
}

type modelSwitch struct {
	Model         string `json:"model"`
	Previous      string `json:"previous"`
	ContextWindow int    `json:"context_window"`
	MaxTokens     int    `json:"max_tokens"`
}

func (c *conn) model(args string) outcome {
	before := c.modelInfo()
	if args == "" {
		names := c.cfg.Host.ModelNames()
		text := "model: " + before.name
		if len(names) > 0 {
			text += "\navailable:\n  " + strings.Join(names, "\n  ")
		}
		return outcome{text: text, data: modelList{before.name, names}}
	}
	if strings.ContainsAny(args, " \t") {
		return badArgs("/model [slug]")
	}
	if err := c.cfg.Host.CheckModel(args); err != nil {
		return cannot("provider_not_configured", err.Error())
	}
	if failed := c.change(func(s *event.Settings) { s.Model = args }); failed != nil {
		return *failed
	}
	after := c.modelInfo()
	pct, _ := c.contextPercent()
	o := outcome{text: "model: " + after.name, data: modelSwitch{after.name, before.name, after.window, after.maxTokens}}
	if after != before {
		o.changed = &StateChanged{Model: &after.name, ContextPct: &pct, ContextWindow: &after.window}
	}
	return o
}

type modeList struct {
	Mode      string   `json:"mode"`
	Available []string `json:"available"`
}

type modeSwitch struct {
	Mode     string `json:"mode"`
	Previous string `json:"previous"`
}

func (c *conn) mode(args string) outcome {
	before := c.shownMode()
	if args == "" {
		var names []string
		for _, m := range approval.Modes {
			names = append(names, string(m))
		}
		return outcome{text: "mode: " + before + "\navailable: " + strings.Join(names, ", "), data: modeList{before, names}}
	}
	mode, err := approval.ParseMode(args)
	if err != nil {
		return cannot("bad_args", err.Error())
	}
	after := string(mode)
	failed := c.change(func(s *event.Settings) {
		if s.Mode = after; s.Asking != "" && !(engine.ApproveEveryCall{}).Fits(*s) { // else every call is asked about in any mode
			engine.DecideByMode(s, mode)
		}
	})
	if failed != nil {
		return *failed
	}
	o := outcome{text: "mode: " + after, data: modeSwitch{after, before}}
	if after != before {
		o.changed = &StateChanged{Mode: &after}
	}
	return o
}

type gadgetList struct {
	Gadgets   []string `json:"gadgets"`
	Available []gadget `json:"available"`
}

type gadget struct {
	Name    string   `json:"name"`
	Enabled bool     `json:"enabled"`
	Tools   []string `json:"tools"`
}

func (c *conn) gadgets(args string) outcome {
	groups := c.session.Context().ToolGroups()
	if args == "" {
		list := c.gadgetList(groups)
		text := "no gadget is on"
		if len(list.Gadgets) > 0 {
			text = "on: " + strings.Join(list.Gadgets, ", ")
		}
		return outcome{text: text, data: list}
	}
	words := strings.Fields(args)
	if len(words) != 2 || words[1] != "on" && words[1] != "off" {
		return badArgs("/gadgets [name on|off]")
	}
	name := words[0]
	if groups[name] == nil {
		return cannot("bad_args", fmt.Sprintf("no gadget %q; there are: %s", name, strings.Join(slices.Sorted(maps.Keys(groups)), ", ")))
	}
	before := c.gadgetList(groups)
	failed := c.change(func(s *event.Settings) {
		s.ToolGroups = slices.DeleteFunc(s.ToolGroups, func(g string) bool { return g == name })
		if words[1] == "on" {
			s.ToolGroups = append(s.ToolGroups, name)
			slices.Sort(s.ToolGroups)
		}
	})
	if failed != nil {
		return *failed
	}
	list := c.gadgetList(groups)
	o := outcome{text: "gadget " + name + " is " + words[1], data: list}
	if !slices.Equal(list.Gadgets, before.Gadgets) {
		o.changed = &StateChanged{Gadgets: &list.Gadgets}
	}
	return o
}

func (c *conn) gadgetList(groups map[string][]string) gadgetList {
	list := gadgetList{Gadgets: gadgets(c.session.State().Settings.ToolGroups)}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		list.Available = append(list.Available, gadget{name, slices.Contains(list.Gadgets, name), groups[name]})
	}
	return list
}

// gadgets returns enabled groups, never null.
func gadgets(groups []string) []string { return append([]string{}, groups...) }

type toolList struct {
	Tools []shownToolInfo `json:"tools"`
}

type shownToolInfo struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	RequiredMode string `json:"required_mode"` // for a call inside the workspace
	InputSchema  any    `json:"input_schema"`
}

func (c *conn) tools(string) outcome {
	var list toolList
	var text strings.Builder
	for _, t := range c.session.Context().Tools() {
		list.Tools = append(list.Tools, shownToolInfo{t.Name, t.Description, requiredMode(t.Name), t.Schema})
		fmt.Fprintf(&text, "%-14s %s\n", t.Name, firstSentence(t.Description))
	}
	return outcome{text: strings.TrimSuffix(text.String(), "\n"), data: list}
}

func (c *conn) toolNames() []string {
	names := []string{}
	for _, t := range c.session.Context().Tools() {
		names = append(names, t.Name)
	}
	return names
}

func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(first, ".")
}

type savedModel struct {
	Path  string `json:"path"`
	Model string `json:"model"`
}

func (c *conn) save(args string) outcome {
	if args != "model" {
		return badArgs("/save model")
	}
	model := c.modelInfo().name
	path, err := saveModel(c.session.State().Dir(), model)
	if err != nil {
		return cannot("not_saved", err.Error())
	}
	return outcome{text: "saved model " + model + " to " + path, data: savedModel{path, model}}
}
