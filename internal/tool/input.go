package tool

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decodeInput reads a call's input into the struct that into points to, which holds the
// defaults. Unknown names are refused.
func decodeInput(input jsontext.Value, into any) error {
	if err := json.Unmarshal(input, into, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("the input cannot be read: %w", err)
	}
	return nil
}
