package loaf

// Providers and what is known of their users.
type (
	// Provider is one of a closed set: openai, openrouter, antigravity.
	Provider string

	// AntigravityProfile is the user who is signed in there.
	AntigravityProfile struct {
		Email   string `json:"email"`
		Name    string `json:"name"`
		Picture string `json:"picture,omitzero"`
	}

	// AuthStatus is the state of all sign-ins (auth.status).
	AuthStatus struct {
		EnabledProviders    []Provider          `json:"enabled_providers"`
		HasOpenAIToken      bool                `json:"has_openai_token"`
		HasOpenRouterKey    bool                `json:"has_openrouter_key"`
		HasAntigravityToken bool                `json:"has_antigravity_token"`
		AntigravityProfile  *AntigravityProfile `json:"antigravity_profile"` // null: none
	}
)

// The providers.
const (
	ProviderOpenAI      Provider = "openai"
	ProviderOpenRouter  Provider = "openrouter"
	ProviderAntigravity Provider = "antigravity"
)

// Signing in (auth.connect.openai).
type (
	// AuthConnectParams begin a sign-in.
	AuthConnectParams struct {
		Mode       AuthMode `json:"mode,omitzero"` // AuthAuto if it was absent
		Originator string   `json:"originator,omitzero"`
		Wait       *bool    `json:"wait,omitzero"` // ours: answer at the end; absent: as the scope of events has it
	}

	// AuthMode is how: auto, browser or device_code.
	AuthMode string

	// AuthConnectResult is the answer at the end.
	AuthConnectResult struct {
		Provider    Provider `json:"provider"`
		LoginMethod AuthMode `json:"login_method"` // browser or device_code
		AccountID   *string  `json:"account_id"`   // null: the issuer sent none
	}

	// AuthConnectStarted is the answer at once; the end is an AuthFlowCompleted or AuthFlowFailed.
	AuthConnectStarted struct {
		Provider    Provider `json:"provider"`
		LoginMethod AuthMode `json:"login_method"` // browser or device_code
		Started     bool     `json:"started"`
	}

	// AuthFlowStarted is the first event of a sign-in.
	AuthFlowStarted struct {
		Provider Provider `json:"provider"`
	}

	// AuthFlowURL is where the user has to go.
	AuthFlowURL struct {
		Provider Provider `json:"provider"`
		URL      string   `json:"url"`
	}

	// AuthFlowDeviceCode is what the user has to enter there.
	AuthFlowDeviceCode struct {
		Provider         Provider `json:"provider"`
		VerificationURL  string   `json:"verification_url"`
		UserCode         string   `json:"user_code"`
		IntervalSeconds  int      `json:"interval_seconds"`
		ExpiresInSeconds int      `json:"expires_in_seconds"`
	}

	// AuthFlowCompleted reports that the user is signed in.
	AuthFlowCompleted struct {
		Provider    Provider `json:"provider"`
		LoginMethod AuthMode `json:"login_method"`
		AccountID   *string  `json:"account_id"` // null: the issuer sent none
	}

	// AuthFlowFailed reports why the user is not.
	AuthFlowFailed struct {
		Provider Provider `json:"provider"`
		Message  string   `json:"message"`
	}
)

// The modes.
const (
	AuthAuto       AuthMode = "auto"
	AuthBrowser    AuthMode = "browser"
	AuthDeviceCode AuthMode = "device_code"
)

// Keys (auth.set.openrouter_key, auth.set.exa_key).
type (
	// AuthKeyParams are a key. For exa the word skip, in any case, removes it.
	AuthKeyParams struct {
		APIKey string `json:"api_key"` // not blank
	}

	// AuthOpenRouterKeyResult says what the key is good for.
	AuthOpenRouterKeyResult struct {
		Configured bool   `json:"configured"`
		ModelCount int    `json:"model_count"`
		Source     string `json:"source"` // remote, cache or fallback: where the models are from
	}

	// AuthExaKeyResult reports whether there is a key.
	AuthExaKeyResult struct {
		Configured bool `json:"configured"`
		Skipped    bool `json:"skipped"`
	}
)

// OnboardingState is onboarding.status and onboarding.complete.
type OnboardingState struct {
	Completed bool `json:"completed"`
}

// What is left of the user's quota (limits.get).
type (
	// LimitsResult is null where the user is not signed in.
	LimitsResult struct {
		OpenAI      *OpenAILimits      `json:"openai"`      // null: not signed in
		Antigravity *AntigravityLimits `json:"antigravity"` // null: not signed in
	}

	// OpenAILimits has a Snapshot, or a Message that says why there is none.
	OpenAILimits struct {
		OK       bool            `json:"ok"`
		Snapshot *OpenAISnapshot `json:"snapshot,omitzero"`
		Message  string          `json:"message,omitzero"`
	}

	// OpenAISnapshot is the two windows in which use is counted.
	OpenAISnapshot struct {
		PlanType  *string      `json:"planType"`  // null: unknown
		Primary   *LimitWindow `json:"primary"`   // null: none
		Secondary *LimitWindow `json:"secondary"` // null: none
	}

	// LimitWindow is one of them.
	LimitWindow struct {
		UsedPercent         float64 `json:"usedPercent"`
		RemainingPercent    float64 `json:"remainingPercent"`
		LimitWindowSeconds  *int64  `json:"limitWindowSeconds"`  // null: unknown
		ResetAtEpochSeconds *int64  `json:"resetAtEpochSeconds"` // null: unknown
	}

	// AntigravityLimits is the same for antigravity.
	AntigravityLimits struct {
		OK       bool                 `json:"ok"`
		Snapshot *AntigravitySnapshot `json:"snapshot,omitzero"`
		Message  string               `json:"message,omitzero"`
	}

	// AntigravitySnapshot is per model.
	AntigravitySnapshot struct {
		Models []AntigravityQuota `json:"models"`
	}

	// AntigravityQuota is what is left of one.
	AntigravityQuota struct {
		Name             string  `json:"name"`
		RemainingPercent float64 `json:"remainingPercent"`
		ResetTime        *string `json:"resetTime"` // null: unknown
	}
)
