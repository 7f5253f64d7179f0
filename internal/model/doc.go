// Package model is what we say to a model and what we hear back: [Request], [Delta],
// [Usage], [Provider]. It knows no provider's wire; each of those is a folder below it.
package model
