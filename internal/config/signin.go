package config

// SignInSettings is the service that signs users in; without both there is none.
type SignInSettings struct {
	Issuer   string `json:"issuer,omitzero"`    // its address
	ClientID string `json:"client_id,omitzero"` // what it calls this program
}
