package flint

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains chapter 6 of the document: models and options.

// discovery is how long model/list waits for endpoints that are asked what they have; who
// answers later is there the next time.
const discovery = 40 * time.Millisecond

// modelList lists the models that can be called, the default first (model/list).
func (c *conn) modelList(ctx context.Context, id jsonrpc.ID, p *ModelListParams) {
	ctx, cancel := context.WithTimeout(ctx, discovery)
	defer cancel()
	offers := c.cfg.Host.Offers(ctx)
	first := c.defaultModel()
	if i := slices.IndexFunc(offers, func(o engine.Offer) bool { return o.Name == first }); i < 0 {
		info, _ := c.cfg.Host.ModelInfo(first)
		offers = slices.Insert(offers, 0, engine.Offer{Name: first, Info: info})
	} else if i > 0 {
		offer := offers[i]
		offers = slices.Insert(slices.Delete(offers, i, i+1), 0, offer)
	}
	if p.Limit != nil {
		offers = offers[:min(*p.Limit, len(offers))]
	}
	result := ModelListResult{Data: []Model{}}
	for i, o := range offers {
		result.Data = append(result.Data, Model{
			ID: o.Name, DisplayName: cmp.Or(o.Info.Name, o.Name), IsDefault: i == 0,
			Meta: &ModelMeta{o.Info.Provider, o.Info.ContextWindow, len(o.Info.Thinking) > 0, o.Info.Images},
		})
	}
	c.reply(id, result)
}

func (c *conn) adapterOf(model string) *adapter {
	info, _ := c.cfg.Host.DescribeModel(model)
	return adapterOf(info.Provider, info.Known)
}

// selectors returns the options of a model, those of the agent of a back end last.
func (c *conn) selectors(model string) []selector {
	info, _ := c.cfg.Host.DescribeModel(model)
	var all []selector
	for _, s := range adapterOf(info.Provider, info.Known).selectors {
		if !s.reasoning || len(info.Thinking) > 0 {
			all = append(all, s)
		}
	}
	for _, o := range c.cfg.Host.BackendOptions(event.Settings{Model: model}) {
		s := selector{id: o.Setting, name: cmp.Or(o.Name, o.ID), description: o.Description, group: agentGroup, value: o.Value, agent: &o}
		for _, v := range o.Values {
			s.choices = append(s.choices, choice{id: v.ID, name: cmp.Or(v.Name, v.ID)})
		}
		all = append(all, s)
	}
	return all
}

// agentGroup is the group of the options of agents of back ends.
const agentGroup = "agent"

// settingsOf returns the settings that count where no thread is named: those of t, or the server's.
func (c *conn) settingsOf(t *thread) (event.Settings, string) {
	if t != nil {
		st := t.session.State()
		st.Settings.Model = cmp.Or(st.Settings.Model, c.defaultModel())
		return st.Settings, st.Dir()
	}
	var settings event.Settings
	c.fillSettings(&settings)
	return settings, c.cfg.Flags.Cwd
}

// configOptions returns every option of the model of t, with its value.
func (c *conn) configOptions(t *thread) []ConfigOption {
	settings, _ := c.settingsOf(t)
	options := []ConfigOption{}
	for _, s := range c.selectors(settings.Model) {
		o := ConfigOption{
			Type: "select", ID: s.id, Name: s.name, Description: s.description, Group: s.group, Value: c.value(settings, s),
		}
		for _, choice := range s.choices {
			o.Options = append(o.Options, ConfigSelectOption{ID: choice.id, Name: choice.name})
		}
		options = append(options, o)
	}
	return options
}

// value returns what an option is set to: by the thread, by config/set, or by itself.
func (c *conn) value(settings event.Settings, s selector) string {
	var own string
	if value, ok := settings.Options[s.id]; ok {
		_ = json.Unmarshal(value, &own) // it was checked when it was kept
	}
	return cmp.Or(own, c.chosen[c.adapterOf(settings.Model)][s.id], s.value)
}

// configSet sets an option for all threads, from their next turns on (config/set). One of an agent is set in the last thread, and
// in those that begin later.
func (c *conn) configSet(id jsonrpc.ID, p *ConfigSetParams) {
	settings, _ := c.settingsOf(c.last)
	all := c.selectors(settings.Model)
	if _, err := pick(all, p.ID, p.Value); err != nil {
		c.fail(id, "", err)
		return
	}
	if i := slices.IndexFunc(all, func(s selector) bool { return s.id == p.ID && s.agent != nil }); i >= 0 && c.last != nil {
		if err := c.last.client.Change(func(s *event.Settings) { all[i].agent.Choose(s, p.Value) }); err != nil {
			c.fail(id, c.last.id, err)
			return
		}
	}
	a := c.adapterOf(settings.Model)
	if c.chosen[a] == nil {
		c.chosen[a] = map[string]string{}
	}
	c.chosen[a][p.ID] = p.Value
	c.reply(id, ConfigSetResult{c.configOptions(c.last)})
}

// configRead returns what is in effect (config/read).
func (c *conn) configRead() ConfigReadResult {
	settings, dir := c.settingsOf(c.last)
	info, _ := c.cfg.Host.DescribeModel(settings.Model)
	asking, sandbox := engine.ContainmentOf(settings)
	return ConfigReadResult{
		Model: settings.Model, Cwd: dir, ApprovalPolicy: policyOf(asking), SandboxPolicy: sandboxOf(sandbox),
		Options: c.configOptions(c.last), ModelProvider: info.Provider,
	}
}

// tuning returns the options of one turn, with what its request gives.
func (c *conn) tuning(settings event.Settings, given map[string]string) (engine.Tuning, error) {
	var t engine.Tuning
	all := c.selectors(settings.Model)
	for _, id := range slices.Sorted(maps.Keys(given)) {
		if _, err := pick(all, id, given[id]); err != nil {
			return t, err
		}
	}
	for _, s := range all {
		chosen, err := pick(all, s.id, cmp.Or(given[s.id], c.value(settings, s)))
		if err != nil {
			return t, err
		}
		if chosen.apply != nil {
			chosen.apply(&t)
		}
	}
	return t, nil
}

// pick returns one value of an option.
func pick(all []selector, id, value string) (choice, error) {
	i := slices.IndexFunc(all, func(s selector) bool { return s.id == id })
	if i < 0 {
		return choice{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Unknown config option: " + abridged(id)}
	}
	chosen, ok := all[i].find(value)
	if !ok {
		return choice{}, &jsonrpc.Error{
			Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("Invalid value %q for option %q", abridged(value), id),
		}
	}
	return chosen, nil
}
