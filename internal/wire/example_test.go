package wire_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"parley.dev/parley/internal/wire"
)

// A mistake in a line is an error that names the field.
func ExampleObject_Decode() {
	var answer struct {
		RequestID string `json:"request_id"`
		Decision  string `json:"decision" enum:"allow,deny"`
		Reason    string `json:"reason,omitzero"`
	}
	for _, line := range []string{
		`{"request_id":"r-1","decision":"deny","reason":"not on a Friday"}`,
		`{"request_id":"r-1","decision":"maybe"}`,
		`{"request_id":"r-1"}`,
		`{"request_id":"r-1","decision":"allow","decision":"deny"}`,
	} {
		object, err := wire.ParseObject([]byte(line), wire.ObjectOptions{})
		if err == nil {
			err = object.Decode(&answer)
		}
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// decision: expected "allow" or "deny"
	// decision: required field is missing
	// name "decision" occurs twice
}

// A line over the limit is reported once, and the lines after it are read.
func ExampleReader() {
	lines := wire.NewReader(strings.NewReader("{}\n\n{\"text\":\"a long line\"}\n{\"n\":2}\r\n"), 10)
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, wire.ErrLineTooLong):
			fmt.Println(err)
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			fmt.Println(err)
			return
		default:
			fmt.Println(string(line))
		}
	}
	// Output:
	// {}
	// line is too long
	// {"n":2}
}
