package codex

import (
	"fmt"
	"strings"
	"time"

	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/text"
)

// This file shows the commands of the user: each is a turn of its own with one item. One that is started while a turn runs is
// shown when it has ended, after that turn: the record of its end comes no sooner.

// startUserCommand begins the turn of a command that runs between turns.
func (v *view) startUserCommand(rec event.Record, e event.CommandStarted) {
	if v.turn != nil {
		return
	}
	v.beginUserCommand(string(e.ID), fmt.Sprintf("x-%d", rec.Seq), e.Command, v.dir, rec.Time)
}

func (v *view) beginUserCommand(turnID, itemID, line, dir string, started time.Time) {
	v.command = &turn{id: turnID, started: started}
	v.notify("thread/status/changed", ThreadStatusChangedNotification{ThreadID: v.thread, Status: ActiveThreadStatus{ActiveFlags: []ThreadActiveFlag{}}})
	v.notify("turn/started", TurnStartedNotification{v.thread, v.command.begun()})
	it := &item{id: itemID, value: CommandExecutionThreadItem{
		ID: itemID, Command: shownLine(line), CommandActions: actionsOf(line, dir), Cwd: dir, Source: CommandExecutionSourceUserShell,
		Status: CommandExecutionStatusInProgress,
	}}
	v.command.items = []*item{it}
	v.notify("item/started", ItemStartedNotification{Item: it.value, ThreadID: v.thread, TurnID: turnID, StartedAtMS: v.now.UnixMilli()})
}

// growUserCommand shows live output, of which no more than appserver.MaxOutput is shown.
func (v *view) growUserCommand(e event.CommandOutput) {
	if v.command == nil || v.command.id != string(e.Command) {
		return
	}
	if left := appserver.MaxOutput - len(v.command.items[0].text); left > 0 {
		v.showUserOutput(text.Prefix(e.Text, left))
	}
}

func (v *view) showUserOutput(piece string) {
	it := v.command.items[0]
	if piece == "" {
		return
	}
	it.text = append(it.text, piece...)
	v.notify("item/commandExecution/outputDelta", CommandExecutionOutputDeltaNotification{ThreadID: v.thread, TurnID: v.command.id, ItemID: it.id, Delta: piece})
}

// endUserCommand ends the turn of a command, or shows one whose start was not shown.
func (v *view) endUserCommand(rec event.Record, e event.CommandRan) {
	if v.command == nil || v.command.id != string(e.ID) {
		id := fmt.Sprintf("x-%d", rec.Seq)
		turnID := id + ".turn"
		if e.ID != "" {
			turnID = string(e.ID)
		}
		v.beginUserCommand(turnID, id, e.Shell.Command, e.Shell.Dir, rec.Time.Add(-time.Duration(e.Ran)))
	}
	it := v.command.items[0]
	output := e.Output
	rest, same := strings.CutPrefix(output, string(it.text))
	if !same { // the beginning of the output is not in the record
		output, rest = string(it.text), ""
	}
	v.showUserOutput(rest)
	value := it.value.(CommandExecutionThreadItem)
	value.Status, value.AggregatedOutput = CommandExecutionStatusCompleted, &output
	if e.Shell.ExitCode != 0 || e.Cancelled || e.Unknown {
		value.Status = CommandExecutionStatusFailed
	}
	ran := time.Duration(e.Ran).Milliseconds()
	value.DurationMS = &ran
	if e.Shell.ExitCode >= 0 && !e.Unknown {
		code := int64(e.Shell.ExitCode)
		value.ExitCode = &code
	}
	it.value = value
	v.notify("item/completed", ItemCompletedNotification{Item: value, ThreadID: v.thread, TurnID: v.command.id, CompletedAtMS: v.now.UnixMilli()})
	done, ended := v.command.shown(), v.now.Unix()
	done.Status, done.CompletedAt, done.DurationMS = TurnStatusCompleted, &ended, &ran
	if e.Cancelled {
		done.Status = TurnStatusInterrupted
	}
	v.command = nil
	v.notifyStatus()
	v.notify("turn/completed", TurnCompletedNotification{v.thread, done})
}
