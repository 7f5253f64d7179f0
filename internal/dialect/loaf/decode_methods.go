package loaf

import (
	"math"
	"strings"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// methods is what a client can ask, and how the params become a Go value.
var methods = lazy.Value[jsonrpc.Methods]{New: func() jsonrpc.Methods {
	return jsonrpc.NewMethods(
		method("rpc.handshake", jsonrpc.Object, readHandshake),
		without("system.ping"),
		method("system.shutdown", jsonrpc.Object, readShutdown),
		without("state.get"),

		method("session.create", jsonrpc.Object, readSessionCreate),
		method("session.get", jsonrpc.Required, readSession),
		method("session.send", jsonrpc.Required, readSessionSend),
		method("session.steer", jsonrpc.Required, readSessionSteer),
		method("session.interrupt", jsonrpc.Required, readSession),
		method("session.queue.list", jsonrpc.Required, readSession),
		method("session.queue.clear", jsonrpc.Required, readSession),
		method("command.execute", jsonrpc.Required, readCommand),

		without("auth.status"),
		method("auth.connect.openai", jsonrpc.Object, readAuthConnect),
		without("auth.connect.antigravity"),
		method("auth.set.openrouter_key", jsonrpc.Required, readAuthKey),
		method("auth.set.exa_key", jsonrpc.Required, readAuthKey),
		without("onboarding.status"),
		without("onboarding.complete"),

		method("model.list", jsonrpc.Object, readModelList),
		method("model.select", jsonrpc.Required, readModelSelect),
		method("model.openrouter.providers", jsonrpc.Required, readOpenRouterProviders),
		without("limits.get"),

		method("history.list", jsonrpc.Object, readHistoryList),
		method("history.get", jsonrpc.Object, readHistoryGet),
		method("history.clear_session", jsonrpc.Required, readSession),
		without("skills.list"),
		without("tools.list"),
		method("debug.set", jsonrpc.Required, readDebug),
	)
}}

// method returns a method whose params read reads. The members are read in the order of the
// document, and the first that is wrong is reported.
func method[P any](name string, takes jsonrpc.ParamsKind, read func(*fields) P) jsonrpc.Method {
	return jsonrpc.Method{Name: name, Params: takes, Read: func(obj wire.Object) (any, error) {
		f := &fields{method: name, obj: obj}
		params := read(f)
		if f.err != nil {
			return nil, f.err
		}
		return &params, nil
	}}
}

// without returns a method that looks at no params.
func without(name string) jsonrpc.Method {
	return method(name, jsonrpc.Anything, func(*fields) NoParams { return NoParams{} })
}

func readHandshake(f *fields) HandshakeParams {
	sent, _ := f.get("client_name")
	name, _ := trimmedText(sent)
	p := HandshakeParams{ClientName: name, ProtocolVersion: f.text("protocol_version"), Strict: f.flag("strict")}
	if p.Strict && p.ProtocolVersion != "" && p.ProtocolVersion != ProtocolVersion {
		data := ErrorData{Reason: ReasonUnsupportedVersion, Supported: ProtocolVersion}
		f.fail(failure(jsonrpc.CodeInvalidParams, "unsupported protocol_version: "+abridged(p.ProtocolVersion), data))
	}
	p.EventFormat = oneOf(f, "event_format", "flat or envelope", FormatFlat, FormatEnvelope)
	p.EventScope = oneOf(f, "event_scope", "turn or all", ScopeTurn, ScopeAll)
	return p
}

func readShutdown(f *fields) ShutdownParams { return ShutdownParams{f.text("reason")} }

func readSessionCreate(f *fields) SessionCreateParams { return SessionCreateParams{f.text("title")} }

func readSession(f *fields) SessionParams { return SessionParams{f.required("session_id")} }

func readSessionSend(f *fields) SessionSendParams {
	p := SessionSendParams{f.required("session_id"), f.text("text"), f.images("images"), f.flag("enqueue")}
	if p.Text == "" && len(p.Images) == 0 {
		f.fail(failure(jsonrpc.CodeInvalidParams, "invalid params: text is required", ErrorData{Reason: ReasonInvalidParams, Field: "text"}))
	}
	return p
}

func readSessionSteer(f *fields) SessionSteerParams {
	return SessionSteerParams{f.required("session_id"), f.required("text")}
}

func readCommand(f *fields) CommandParams {
	return CommandParams{f.required("session_id"), f.required("raw_command")}
}

func readAuthConnect(f *fields) AuthConnectParams {
	mode := oneOf(f, "mode", "auto, browser, or device_code", AuthAuto, AuthBrowser, AuthDeviceCode)
	if mode == "" {
		mode = AuthAuto
	}
	return AuthConnectParams{mode, f.text("originator"), f.choice("wait")}
}

func readAuthKey(f *fields) AuthKeyParams { return AuthKeyParams{f.required("api_key")} }

func readModelList(f *fields) ModelListParams {
	return ModelListParams{f.provider(f.text("provider"), "provider must be one of: openai, openrouter, antigravity")}
}

func readModelSelect(f *fields) ModelSelectParams {
	return ModelSelectParams{
		f.required("model_id"),
		f.provider(f.required("provider"), "provider must be openai, openrouter, or antigravity"),
		f.required("thinking_level"),
		strings.ToLower(f.text("openrouter_provider")),
		f.text("session_id"),
		f.flag("compress_immediately"),
	}
}

func readOpenRouterProviders(f *fields) OpenRouterProvidersParams {
	return OpenRouterProvidersParams{f.required("model_id")}
}

// mostRows is past any list, and a whole number on every side.
const mostRows = 1 << 53

func readHistoryList(f *fields) HistoryListParams {
	p := HistoryListParams{Limit: 100}
	if limit := f.number("limit"); limit != 0 {
		p.Limit = int(min(max(math.Floor(limit), 1), mostRows))
	}
	p.Cursor = int(min(max(math.Floor(f.number("cursor")), 0), mostRows))
	return p
}

func readHistoryGet(f *fields) HistoryGetParams {
	return HistoryGetParams{f.text("id"), f.flag("last"), f.text("rollout_path")}
}

func readDebug(f *fields) DebugParams { return DebugParams{f.demanded("super_debug")} }
