package model

// Provider calls a model.
type Provider interface{ Stream() error }
