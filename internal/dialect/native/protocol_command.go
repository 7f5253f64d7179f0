package native

// CommandRunParams are the params of command/run.
type CommandRunParams struct {
	SessionParams
	ID      string `json:"id"`
	Command string `json:"command"`
	Hidden  bool   `json:"hidden,omitzero"` // models do not see it
}

// CommandRunResult is the answer to command/run.
type CommandRunResult struct {
	Command string `json:"command"` // the id of its records
}
