package engine

import "parley.dev/parley/internal/model"

// What answers are made of, and what is known of models, for those who see the engine only.
type (
	Call      = model.Call
	ModelInfo = model.Info
)
