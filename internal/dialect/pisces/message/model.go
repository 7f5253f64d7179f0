package message

import "parley.dev/parley/internal/engine"

// Model is whom the model's answers are of.
type Model struct {
	ID       string
	Provider string
	API      string
	Cost     ModelCost
}

// ModelOf is what messages say of a model.
func ModelOf(info engine.ModelInfo) Model {
	return Model{ID: info.ID, Provider: info.Provider, API: APIOf(info.Provider), Cost: ModelCost(info.Price)}
}

// APIOf is the wire that a provider is asked by.
func APIOf(provider string) string {
	switch provider {
	case "anthropic":
		return APIAnthropic
	case "openai":
		return APIResponses
	}
	return APICompletions
}
