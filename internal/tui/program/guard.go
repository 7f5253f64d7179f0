package program

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// A guard ends the screen when something panics, so that the terminal is restored before the panic is printed. Bubble Tea
// does so for Update and View; a panic of a command it prints while the process ends, and of other goroutines it knows nothing.
type guard struct {
	end func() // ends the screen

	mu   sync.Mutex
	text string // of the first panic; "": there was none
}

// note notes a panic, if there was one; it must be deferred.
func (g *guard) note(p any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.text == "" {
		g.text = fmt.Sprintf("parley: internal error: %v\n%s", p, debug.Stack())
	}
}

// panicked returns the text of the first panic; "": there was none.
func (g *guard) panicked() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text
}

// goRun runs f in a goroutine of its own.
func (g *guard) goRun(f func()) {
	go func() {
		defer func() {
			if p := recover(); p != nil {
				g.note(p)
				g.end()
			}
		}()
		f()
	}()
}

// command returns a command that ends the screen where it would panic.
func (g *guard) command(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if p := recover(); p != nil {
				g.note(p)
				msg = tea.Quit()
			}
		}()
		return g.commands(cmd())
	}
}

// commands returns a message with the commands in it guarded: those of tea.Batch and tea.Sequence are lists of commands, and the
// type of the latter has no name outside of Bubble Tea.
func (g *guard) commands(msg tea.Msg) tea.Msg {
	list := reflect.ValueOf(msg)
	if list.Kind() != reflect.Slice || list.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		return msg
	}
	guarded := reflect.MakeSlice(list.Type(), list.Len(), list.Len())
	for i := range list.Len() {
		guarded.Index(i).Set(reflect.ValueOf(g.command(list.Index(i).Interface().(tea.Cmd))))
	}
	return guarded.Interface()
}

// guarded is a model whose panics end the screen.
type guarded struct {
	tea.Model
	g *guard
}

func (m guarded) Init() tea.Cmd { return m.g.command(m.Model.Init()) }

func (m guarded) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	defer func() {
		if p := recover(); p != nil {
			m.g.note(p)
			next, cmd = m, tea.Quit
		}
	}()
	model, cmd := m.Model.Update(msg)
	return guarded{model, m.g}, m.g.command(cmd)
}

func (m guarded) View() (view tea.View) {
	defer func() {
		if p := recover(); p != nil {
			m.g.note(p)
			m.g.goRun(m.g.end) // it waits for this frame
			view = tea.View{AltScreen: true}
		}
	}()
	return m.Model.View()
}
