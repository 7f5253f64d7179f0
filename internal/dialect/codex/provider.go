package codex

import (
	"context"
	"maps"
	"slices"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains the providers of models.

func providerMethods() []handler {
	return []handler{
		on("modelProvider/list", (*conn).providerList),
		on("modelProvider/config/write", func(c *conn, _ context.Context, id jsonrpc.ID, _ *ModelProviderConfigWriteParams) {
			c.fail(id, "", refused("providers cannot be configured here, since prompts and keys are sent to them: set them in "+c.userFile()))
		}),
		on("modelProvider/capabilities/read", func(c *conn, _ context.Context, id jsonrpc.ID, _ *ModelProviderCapabilitiesReadParams) {
			c.reply(id, ModelProviderCapabilitiesReadResponse{WebSearch: c.cfg.WebSearch})
		}),
	}
}

// providerList lists the providers whose models can be called, by name (modelProvider/list). Which is the default one is the key
// model_provider of the configuration.
func (c *conn) providerList(ctx context.Context, id jsonrpc.ID, _ *ModelProviderListParams) {
	ctx, cancel := context.WithTimeout(ctx, discovery)
	defer cancel()
	standard := c.providerOf(c.defaultModel())
	providers := map[string]bool{standard: true}
	for _, offer := range c.cfg.Host.Offers(ctx) {
		providers[offer.Info.Provider] = true
	}
	delete(providers, "")
	answer := ModelProviderListResponse{CanChangeDefault: true, DefaultProviderID: standard}
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		answer.Data = append(answer.Data, ModelProviderSummary{ID: name, Name: name, Settings: providerSettings(name)})
	}
	c.reply(id, answer)
}

// accountProvider is the provider that accounts of this protocol are of.
const accountProvider = "openai"

// providerSettings returns how a provider is configured, as far as clients may know: the keys of all but one are set elsewhere.
func providerSettings(name string) ProviderSettings {
	if name == accountProvider {
		return OpenaiProviderSettings{}
	}
	return CustomGatewayProviderSettings{Auth: ModeGatewayAuth{}}
}
