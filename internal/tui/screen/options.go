package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/tui/link"
)

// Options are what a screen needs, and the choices of the user.
type Options struct {
	Host      Host
	Workspace string         // absolute
	Opened    link.Opened    // the session to show at the start; ID "": an empty conversation
	Sessions  bool           // begin with the list of sessions
	Prompt    string         // the first one; "": none
	Settings  map[string]any // of a new session, such as {"mode": "prompt"}
	Client    string         // the name of this client, as records have it

	Theme    string // dark, light or contrast; "": dark or light, as the terminal is
	NoColor  bool
	Graphics bool // the terminal has the graphics of kitty
	Vi       bool
	Keys     Keys

	Prompts    []string          // earlier prompts of the workspace, oldest first
	SavePrompt func(text string) // stores a prompt for later; nil: none is stored
	SaveTheme  func(name string) error
	Export     func(session string) (path string, err error) // writes a session to a file; nil: not possible
	Edit       func(text string) tea.Cmd                     // opens an editor, and sends Edited; nil: there is none
	SignIn     string                                        // the command that signs in; "": there is none
	Embedded   bool                                          // the host ends with the console

	// Now returns the time; nil: that of the system. After sends msg after a while; nil: by a timer.
	Now   func() time.Time
	After func(d time.Duration, msg tea.Msg) tea.Cmd
}

// Edited is a message: what an editor made of the input.
type Edited struct {
	Text string
	Err  error
}

// after returns a command that sends msg after a while, by a timer.
func after(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}
