package pisces

import "github.com/go-json-experiment/json/jsontext"

// ExtensionUIRequest is what an extension wants of the user. The first four wait for an
// ExtensionUIResponse with their ID.
type ExtensionUIRequest interface {
	Event
	// UIMethod is the member method.
	UIMethod() string
}

// Dialogs. A Timeout is in milliseconds, 0 for none; when it is over nothing is sent.
type (
	// UISelect asks for one of the options.
	UISelect struct {
		ID      string   `json:"id"`
		Title   string   `json:"title"`
		Options []string `json:"options"`
		Timeout int64    `json:"timeout,omitzero"`
	}

	// UIConfirm asks for yes or no.
	UIConfirm struct {
		ID      string `json:"id"`
		Title   string `json:"title"`
		Message string `json:"message"`
		Timeout int64  `json:"timeout,omitzero"`
	}

	// UIInput asks for a line.
	UIInput struct {
		ID          string `json:"id"`
		Title       string `json:"title"`
		Placeholder string `json:"placeholder,omitzero"`
		Timeout     int64  `json:"timeout,omitzero"`
	}

	// UIEditor asks for a text.
	UIEditor struct {
		ID          string `json:"id"`
		Title       string `json:"title"`
		Prefill     string `json:"prefill,omitzero"`
		PromptStyle bool   `json:"promptStyle,omitzero"`
	}

	// UICancel withdraws a UIEditor. +
	UICancel struct {
		ID       string `json:"id"`
		TargetID string `json:"targetId"`
	}
)

// What is only shown.
type (
	// UINotify notifies the user.
	UINotify struct {
		ID         string `json:"id"`
		Message    string `json:"message"`
		NotifyType string `json:"notifyType,omitzero"` // info, warning or error
	}

	// UISetStatus shows a status.
	UISetStatus struct {
		ID         string  `json:"id"`
		StatusKey  string  `json:"statusKey"`
		StatusText *string `json:"statusText,omitzero"` // absent: shows it no longer
	}

	// UISetWidget shows lines.
	UISetWidget struct {
		ID              string   `json:"id"`
		WidgetKey       string   `json:"widgetKey"`
		WidgetLines     []string `json:"widgetLines,omitzero"`     // absent: shows them no longer
		WidgetPlacement string   `json:"widgetPlacement,omitzero"` // aboveEditor or belowEditor
	}

	// UISetTitle names the window.
	UISetTitle struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	}

	// UISetEditorText fills the user's editor.
	UISetEditorText struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}
)

// ExtensionError reports that an extension has failed. The run goes on.
type ExtensionError struct {
	ExtensionPath string `json:"extensionPath"` // or command:NAME
	Event         string `json:"event"`
	Error         string `json:"error"`
}

// ExtensionUIResponse answers a dialog. It has one of Value, Confirmed and Cancelled; an
// answer of the wrong kind is as good as Cancelled.
type ExtensionUIResponse struct {
	ID        jsontext.Value `json:"id,omitzero"`
	Value     jsontext.Value `json:"value,omitzero"`     // a text
	Confirmed jsontext.Value `json:"confirmed,omitzero"` // true or false
	Cancelled jsontext.Value `json:"cancelled,omitzero"` // true
	TimedOut  jsontext.Value `json:"timedOut,omitzero"`  // +
}

// EventType returns the member type.
func (ExtensionError) EventType() string { return "extension_error" }

const uiRequest = "extension_ui_request"

// EventType returns the member type.
func (UISelect) EventType() string { return uiRequest }

// EventType returns the member type.
func (UIConfirm) EventType() string { return uiRequest }

// EventType returns the member type.
func (UIInput) EventType() string { return uiRequest }

// EventType returns the member type.
func (UIEditor) EventType() string { return uiRequest }

// EventType returns the member type.
func (UICancel) EventType() string { return uiRequest }

// EventType returns the member type.
func (UINotify) EventType() string { return uiRequest }

// EventType returns the member type.
func (UISetStatus) EventType() string { return uiRequest }

// EventType returns the member type.
func (UISetWidget) EventType() string { return uiRequest }

// EventType returns the member type.
func (UISetTitle) EventType() string { return uiRequest }

// EventType returns the member type.
func (UISetEditorText) EventType() string { return uiRequest }

// UIMethod returns the member method.
func (UISelect) UIMethod() string { return "select" }

// UIMethod returns the member method.
func (UIConfirm) UIMethod() string { return "confirm" }

// UIMethod returns the member method.
func (UIInput) UIMethod() string { return "input" }

// UIMethod returns the member method.
func (UIEditor) UIMethod() string { return "editor" }

// UIMethod returns the member method.
func (UICancel) UIMethod() string { return "cancel" }

// UIMethod returns the member method.
func (UINotify) UIMethod() string { return "notify" }

// UIMethod returns the member method.
func (UISetStatus) UIMethod() string { return "setStatus" }

// UIMethod returns the member method.
func (UISetWidget) UIMethod() string { return "setWidget" }

// UIMethod returns the member method.
func (UISetTitle) UIMethod() string { return "setTitle" }

// UIMethod returns the member method.
func (UISetEditorText) UIMethod() string { return "set_editor_text" }
