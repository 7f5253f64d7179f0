package codex

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains models.

func modelMethods() []handler {
	return []handler{on("model/list", (*conn).modelList)}
}

// discovery is how long model/list waits for endpoints that are asked what they have; those that answer later are there the
// next time.
const discovery = 40 * time.Millisecond

const modelsMost = 1000 // on a page

// modelList lists the models that can be called, the default first (model/list).
func (c *conn) modelList(ctx context.Context, id jsonrpc.ID, p *ModelListParams) {
	ctx, cancel := context.WithTimeout(ctx, discovery)
	defer cancel()
	first := c.defaultModel()
	offers := c.cfg.Host.Offers(ctx)
	info, _ := c.cfg.Host.DescribeModel(first)
	offers = slices.DeleteFunc(slices.Clone(offers), func(o engine.Offer) bool { return o.Name == first })
	offers = slices.Insert(offers, 0, engine.Offer{Name: first, Info: info})
	var all []Model
	for i, o := range offers {
		if p.ModelProvider == "" || p.ModelProvider == o.Info.Provider {
			all = append(all, c.shownModel(o, i == 0))
		}
	}
	page, err := pageOf(all, p.Cursor, p.Limit, SortDirectionAsc, SortDirectionAsc, modelsMost)
	if err != nil {
		c.fail(id, "", err)
		return
	}
	c.reply(id, ModelListResponse{Data: page.data, NextCursor: page.next})
}

// shownModel returns a model as clients see it.
func (c *conn) shownModel(o engine.Offer, first bool) Model {
	id, no := c.modelID(o.Name), false
	m := Model{
		ID: id, Model: id, DisplayName: cmp.Or(o.Info.Name, id), Description: cmp.Or(o.Info.Name, id), IsDefault: first, DefaultReasoningEffort: "none",
		SupportedReasoningEfforts: []ReasoningEffortOption{}, InputModalities: []InputModality{InputModalityText}, SupportsPersonality: &no,
		AdditionalSpeedTiers: []string{}, ServiceTiers: []ModelServiceTier{},
	}
	if o.Info.Images {
		m.InputModalities = append(m.InputModalities, InputModalityImage)
	}
	for _, level := range o.Info.Thinking {
		m.SupportedReasoningEfforts = append(m.SupportedReasoningEfforts, ReasoningEffortOption{ReasoningEffort: string(effortOf(level)), Description: string(effortOf(level)) + " reasoning"})
	}
	if len(o.Info.Thinking) > 0 {
		m.DefaultReasoningEffort = string(effortOf(o.Info.Level(model.Medium)))
	}
	return m
}
