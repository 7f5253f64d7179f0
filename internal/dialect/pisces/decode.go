package pisces

import (
	"bytes"
	"cmp"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/wire"
)

// A command is a line that has to be answered.
type command struct {
	id     jsontext.Value // any value; nil: none
	name   string         // its type
	params any            // by value: Prompt, Steer …
	// identified reports that a failure is answered under id, where the document has it without.
	identified bool
}

// commands is how each command is read.
var commands = lazy.Value[map[string]func(wire.Object) (any, error)]{New: func() map[string]func(wire.Object) (any, error) {
	return map[string]func(wire.Object) (any, error){
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

		CommandClearQueue:                 read[ClearQueue],
		CommandGetAvailableThinkingLevels: read[GetAvailableThinkingLevels],
		CommandGetEntries:                 read[GetEntries],
		CommandGetTree:                    read[GetTree],
		CommandGetAvailableCommands:       read[GetAvailableCommands],
		CommandSetEventFilter:             read[SetEventFilter],
		CommandSetSubagentSubscription:    read[SetSubagentSubscription],
		CommandGetSubagents:               read[GetSubagents],
		CommandOpenSession:                read[OpenSession],
		CommandSetHostTools:               read[SetHostTools],
		CommandSetTodos:                   read[SetTodos],
		CommandGetMessagesPage:            read[GetMessagesPage],
	}
}}

// newer are the commands of newer programs, whose failures have the command's id.
var newer = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{
		CommandClearQueue: true, CommandGetAvailableThinkingLevels: true, CommandGetEntries: true, CommandGetTree: true,
		CommandGetAvailableCommands: true, CommandSetEventFilter: true, CommandSetSubagentSubscription: true,
		CommandGetSubagents: true, CommandOpenSession: true, CommandSetHostTools: true, CommandSetTodos: true,
		CommandGetMessagesPage: true,
	}
}}

// unsupported are commands of newer programs that are refused, and why.
var unsupported = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"get_login_providers":   "Signing in over RPC is not supported: run parley login",
		"get_subagent_messages": "Transcripts of subagents are not supported",
		"handoff":               "Handoffs are not supported: use compact",
		"login":                 "Signing in over RPC is not supported: run parley login",
		"negotiate_protocol":    "Only version 1 of the protocol is supported",
		"set_fast_mode":         "Fast mode is unavailable for the current model.",
		"set_host_uri_schemes":  "URI schemes of the host are not supported",
	}
}}

func read[P any](obj wire.Object) (any, error) {
	var params P
	err := obj.Decode(&params)
	return params, err
}

// decode reads one line: a command, an ExtensionUIResponse, or one about a call of the client's tools. A refused line gives the one
// Response that answers it, and changes nothing. Values that the engine could not act upon
// (modes, levels, pictures) are refused here; what depends on the session is not looked at.
func decode(line []byte) (message any, refused *Response) {
	obj, err := wire.ParseObject(line, rawjson.Options)
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
	case isText && (name == TypeHostToolUpdate || name == TypeHostToolResult):
		return decodeHost(name, obj)
	case isText && unsupported.Get()[name] != "":
		return nil, failed(command{id: idOf(obj), name: name}, unsupported.Get()[name])
	case !isText || commands.Get()[name] == nil:
		return nil, refuseUnknown(kind)
	}
	params, err := commands.Get()[name](obj)
	if err == nil {
		err = cmp.Or(checkImages(params), checkFilter(params), checkHostTools(params), checkTodos(params))
	}
	switch {
	case err != nil && newer.Get()[name]:
		return nil, failed(command{id: idOf(obj), name: name}, inField(name, err).Error())
	case err != nil:
		return nil, refuseLine(inField(name, err))
	}
	return command{id: idOf(obj), name: name, params: params, identified: newer.Get()[name]}, nil
}

// identify gives a refusal the id and the type of its line, as far as they can be read.
func identify(line []byte, r *Response) *Response {
	obj, err := wire.ParseObject(line, rawjson.Options)
	if err != nil {
		return r
	}
	with := *r
	with.ID = idOf(obj)
	kind, _ := obj.Get("type")
	if name, isText := rawjson.Text(kind); isText {
		with.Command, with.Error = name, strings.TrimPrefix(r.Error, parseFailure)
	}
	return &with
}

// parseFailure begins the text of a refusal that has no id.
const parseFailure = "Failed to parse command: "

// idOf returns the id of a command; nil: none.
func idOf(obj wire.Object) jsontext.Value {
	id, _ := obj.Get("id")
	return bytes.Clone(id)
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
			return &wire.FieldError{Field: wire.FieldPath("images", index(i)), Problem: err.Error()}
		}
	}
	return nil
}

// refuse returns the answer to a line that changed nothing, or to a command that could not be done.
func refuse(problem string) *Response {
	return &Response{Command: CommandParse, Error: parseFailure + problem}
}

// refuseLine returns the answer to a line that could not be read.
func refuseLine(err error) *Response { return refuse(err.Error()) }

// refuseUnknown returns the answer to a line of a type that there is not; nil: it has none.
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
