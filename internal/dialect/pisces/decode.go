package pisces

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/wire"
)

// A command is a line that has to be answered.
type command struct {
	id     jsontext.Value // any value; nil: none
	name   string         // its type
	params any            // by value: Prompt, Steer …
}

// commands is how each command is read.
var commands = map[string]func(wire.Object) (any, error){
	CommandPrompt:         read[Prompt],
	CommandSteer:          read[Steer],
	CommandFollowUp:       read[FollowUp],
	CommandAbort:          read[Abort],
	CommandAbortAndPrompt: read[AbortAndPrompt],
	CommandNewSession:     read[NewSession],

	CommandGetState: read[GetState],

	CommandSetModel:           read[SetModel],
	CommandCycleModel:         read[CycleModel],
	CommandGetAvailableModels: read[GetAvailableModels],

	CommandSetThinkingLevel:   read[SetThinkingLevel],
	CommandCycleThinkingLevel: read[CycleThinkingLevel],

	CommandSetSteeringMode:  read[SetSteeringMode],
	CommandSetFollowUpMode:  read[SetFollowUpMode],
	CommandSetInterruptMode: read[SetInterruptMode],

	CommandCompact:           read[Compact],
	CommandSetAutoCompaction: read[SetAutoCompaction],

	CommandSetAutoRetry: read[SetAutoRetry],
	CommandAbortRetry:   read[AbortRetry],

	CommandBash:      read[Bash],
	CommandAbortBash: read[AbortBash],

	CommandGetSessionStats:      read[GetSessionStats],
	CommandExportHTML:           read[ExportHTML],
	CommandSwitchSession:        read[SwitchSession],
	CommandBranch:               read[Branch],
	CommandGetBranchMessages:    read[GetBranchMessages],
	CommandGetLastAssistantText: read[GetLastAssistantText],
	CommandSetSessionName:       read[SetSessionName],

	CommandGetMessages: read[GetMessages],

	CommandFork:            read[Fork],
	CommandGetForkMessages: read[GetForkMessages],
	CommandClone:           read[Clone],
	CommandGetCommands:     read[GetCommands],
}

func read[P any](obj wire.Object) (any, error) {
	var params P
	err := obj.Decode(&params)
	return params, err
}

// decode reads one line: a command, or an ExtensionUIResponse. A refused line gives the one
// Response that answers it, and changes nothing. Values that the engine could not act upon
// (modes, levels, pictures) are refused here; what depends on the session is not looked at.
func decode(line []byte) (message any, refused *Response) {
	obj, err := wire.ParseObject(line, rawjson.Manners)
	switch {
	case errors.Is(err, wire.ErrNotObject) && string(bytes.TrimSpace(line)) != rawjson.Null:
		return nil, refuseUnknown(nil)
	case err != nil:
		return nil, refuseLine(err)
	}
	kind, _ := obj.Get("type")
	name, isText := rawjson.Text(kind)
	switch {
	case isText && name == TypeUIResponse:
		answer, _ := read[ExtensionUIResponse](obj) // it takes any value
		return answer, nil
	case !isText || commands[name] == nil:
		return nil, refuseUnknown(kind)
	}
	params, err := commands[name](obj)
	if err == nil {
		err = checkImages(params)
	}
	if err != nil {
		return nil, refuseLine(inField(name, err))
	}
	id, _ := obj.Get("id")
	return command{bytes.Clone(id), name, params}, nil
}

// inField puts the command before the field that an error is about.
func inField(command string, err error) error {
	if field, ok := errors.AsType[*wire.FieldError](err); ok {
		return errors.New(command + "." + field.Error())
	}
	return errors.New(command + ": " + err.Error())
}

// checkImages looks at the pictures of a command that has some.
func checkImages(params any) error {
	var images []message.Image
	switch p := params.(type) {
	case Prompt:
		images = p.Images
	case Steer:
		images = p.Images
	case FollowUp:
		images = p.Images
	case AbortAndPrompt:
		images = p.Images
	}
	for i, img := range images {
		if err := img.Check(); err != nil {
			return &wire.FieldError{Field: wire.Inside("images", index(i)), Problem: err.Error()}
		}
	}
	return nil
}

// refuse is the answer to a line that changed nothing, or to a command that could not be done.
func refuse(problem string) *Response {
	return &Response{Command: CommandParse, Error: "Failed to parse command: " + problem}
}

// refuseLine is the answer to a line that could not be read.
func refuseLine(err error) *Response { return refuse(err.Error()) }

// refuseUnknown is the answer to a line of a type that there is not; nil: it has none.
func refuseUnknown(kind jsontext.Value) *Response {
	name, isText := rawjson.Text(kind)
	switch {
	case kind == nil:
		name = "undefined"
	case !isText:
		name = strings.TrimSpace(string(kind))
	}
	r := &Response{Error: "Unknown command: " + abridged(name)}
	if isText {
		r.Command = name
	}
	return r
}
