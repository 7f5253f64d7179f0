package loaf

// Models.
type (
	// ModelListParams ask for one provider, or all that are enabled.
	ModelListParams struct {
		Provider Provider `json:"provider,omitzero"`
	}

	// ModelListResult is the models and the choice.
	ModelListResult struct {
		Providers                  []Provider    `json:"providers"`
		Models                     []Model       `json:"models"`
		SelectedModel              string        `json:"selected_model"` // "": none
		SelectedThinking           ThinkingLevel `json:"selected_thinking"`
		SelectedProvider           *Provider     `json:"selected_provider"` // null: none
		SelectedOpenRouterProvider string        `json:"selected_openrouter_provider"`
	}

	// Model is one that can be selected.
	Model struct {
		ID                      string          `json:"id"`
		Provider                Provider        `json:"provider"`
		DisplayProvider         string          `json:"displayProvider,omitzero"`
		Label                   string          `json:"label"`
		Description             string          `json:"description"`
		SupportedThinkingLevels []ThinkingLevel `json:"supportedThinkingLevels,omitzero"` // absent: all of the provider's
		DefaultThinkingLevel    ThinkingLevel   `json:"defaultThinkingLevel,omitzero"`
		RoutingProviders        []string        `json:"routingProviders,omitzero"` // slugs
		ContextWindowTokens     int             `json:"contextWindowTokens,omitzero"`
	}

	// ThinkingLevel is OFF, MINIMAL, LOW, MEDIUM, HIGH or XHIGH.
	ThinkingLevel string

	// ModelSelectParams choose for all sessions, from their next turn on.
	ModelSelectParams struct {
		ModelID             string   `json:"model_id"`
		Provider            Provider `json:"provider"`
		ThinkingLevel       string   `json:"thinking_level"`               // any word; one that the model lacks stands for its default
		OpenRouterProvider  string   `json:"openrouter_provider,omitzero"` // lower-cased; for openrouter only; absent: any
		SessionID           string   `json:"session_id,omitzero"`          // what to compress
		CompressImmediately bool     `json:"compress_immediately,omitzero"`
	}

	// ModelSelectResult is what is selected now.
	ModelSelectResult struct {
		SelectedModel              string        `json:"selected_model"`
		SelectedProvider           Provider      `json:"selected_provider"`
		SelectedThinking           ThinkingLevel `json:"selected_thinking"`
		SelectedOpenRouterProvider string        `json:"selected_openrouter_provider"`
		Compression                *Compression  `json:"compression,omitzero"` // only if it was asked for
	}

	// Compression is what came of compress_immediately.
	Compression struct {
		Requested             bool             `json:"requested"`
		Applied               bool             `json:"applied"`
		Reason                CompactionReason `json:"reason"` // none, auto or provider_switch
		EstimatedTokensBefore int              `json:"estimated_tokens_before"`
		EstimatedTokensAfter  int              `json:"estimated_tokens_after"`
		ModelContextWindow    int              `json:"model_context_window"`
		TargetLimit           int              `json:"target_limit"`
		AnchorBefore          int              `json:"anchor_event_index_before"`
		AnchorAfter           int              `json:"anchor_event_index_after"`
	}

	// OpenRouterProvidersParams request the providers of a model.
	OpenRouterProvidersParams struct {
		ModelID string `json:"model_id"`
	}

	// OpenRouterProvidersResult is the providers of a model.
	OpenRouterProvidersResult struct {
		ModelID   string   `json:"model_id"`
		Providers []string `json:"providers"` // slugs, sorted
	}
)

// The levels, from none to most.
const (
	ThinkingOff     ThinkingLevel = "OFF"
	ThinkingMinimal ThinkingLevel = "MINIMAL"
	ThinkingLow     ThinkingLevel = "LOW"
	ThinkingMedium  ThinkingLevel = "MEDIUM"
	ThinkingHigh    ThinkingLevel = "HIGH"
	ThinkingXHigh   ThinkingLevel = "XHIGH"
)
