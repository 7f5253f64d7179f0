package pisces

import "parley.dev/parley/internal/engine"

// asked is whom the model's answers are of.
type asked struct {
	ID       string
	Provider string
	API      string
	Cost     ModelCost
}

// askedOf is what messages say of a model.
func askedOf(info engine.ModelInfo) asked {
	return asked{ID: info.ID, Provider: info.Provider, API: apiOf(info.Provider), Cost: ModelCost(info.Price)}
}

// apiOf is the wire that a provider is asked by.
func apiOf(provider string) string {
	switch provider {
	case "anthropic":
		return APIAnthropic
	case "openai":
		return APIResponses
	}
	return APICompletions
}
