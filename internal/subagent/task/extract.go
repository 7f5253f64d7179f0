package task

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lazy"
)

// This file contains how an agent of a back end submits its result, which has no tool for that: as a fenced block at the end of its
// answer.

// howToSubmit is what the prompt says about the block.
const howToSubmit = "When you are done, end your last message with one fenced block that begins with the line ```json and has the data as JSON. If there is no result, end it with one that begins with ```error and has the reason as text. Nothing follows the block."

// fence is the first or last line of a fenced block.
var fence = lazy.Regexp{Expr: "(?m)^[ \t]{0,3}```+[ \t]*([A-Za-z]*)[ \t]*\r?$"}

var errNoBlock = errors.New("your last message does not end with a fenced block that begins with ```json or ```error")

// extract returns the result at the end of an answer, as the input of the tool that submits it.
func extract(answer string) (jsontext.Value, error) {
	answer = strings.TrimSpace(answer)
	fences := fence.Get().FindAllStringSubmatchIndex(answer, -1)
	if len(fences) < 2 {
		return nil, errNoBlock
	}
	first, last := fences[len(fences)-2], fences[len(fences)-1]
	kind := strings.ToLower(answer[first[2]:first[3]])
	if last[1] != len(answer) || last[2] != last[3] || kind != "json" && kind != "error" {
		return nil, errNoBlock
	}
	text := strings.TrimSpace(answer[first[1]:last[0]])
	s := struct {
		Result struct {
			Data  jsontext.Value `json:"data,omitzero"`
			Error string         `json:"error,omitzero"`
		} `json:"result"`
	}{}
	if kind == "error" {
		if s.Result.Error = text; text == "" {
			return nil, errors.New("the block of your last message has no reason")
		}
	} else if s.Result.Data = jsontext.Value(text); !s.Result.Data.IsValid() {
		return nil, errors.New("the block of your last message is no JSON")
	}
	input, err := json.Marshal(s, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("the block of your last message cannot be read: %w", err)
	}
	return input, nil
}
