package engine

import "parley.dev/parley/internal/event"

// ForgetRefused is a plugin that takes the turns out of the history that ended since the provider refused to answer: with
// their prompts in it the next request would be refused, too. Files that the turn changed stay changed.
type ForgetRefused struct{}

var _ TurnKeeper = ForgetRefused{}

// KeepsTurn implements TurnKeeper.
func (ForgetRefused) KeepsTurn(reason event.TurnReason) bool { return reason != event.TurnRefused }
