package acp

import "github.com/go-json-experiment/json/jsontext"

type elicitationParams struct {
	Mode            string         `json:"mode"`      // form or url
	SessionID       string         `json:"sessionId"` // "": RequestID is set
	RequestID       jsontext.Value `json:"requestId"`
	ToolCallID      string         `json:"toolCallId"`
	Message         string         `json:"message"`
	URL             string         `json:"url"`
	RequestedSchema struct {
		Properties jsontext.Value `json:"properties"` // an object whose order counts
		Required   []string       `json:"required"`
	} `json:"requestedSchema"`
}

// property is a field of a form.
type property struct {
	Type        string       `json:"type"` // string, number, integer, boolean, array
	Title       string       `json:"title"`
	Description string       `json:"description"`
	Enum        []string     `json:"enum"`
	OneOf       []enumOption `json:"oneOf"`
	Items       struct {
		Enum  []string     `json:"enum"`
		AnyOf []enumOption `json:"anyOf"`
	} `json:"items"` // of an array
}

type enumOption struct {
	Const       string `json:"const"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

type elicitationResult struct {
	Action  string         `json:"action"`           // accept, decline, cancel
	Content jsontext.Value `json:"content,omitzero"` // an object; of accept
}
