package codex

import (
	"maps"
	"slices"

	"parley.dev/parley/internal/event"
)

// This file shows subagents: one item a call that starts them.

// showSubagent adds a subagent to the item of its call.
func (v *view) showSubagent(c *call, e event.SubagentStarted) {
	v.showCall(c)
	shown, ok := c.item.value.(CollabAgentToolCallThreadItem)
	if !ok || e.Session == "" {
		return
	}
	shown.AgentsStates = maps.Clone(shown.AgentsStates)
	shown.ReceiverThreadIDs = append(slices.Clip(shown.ReceiverThreadIDs), string(e.Session))
	shown.AgentsStates[string(e.Session)] = CollabAgentState{Status: CollabAgentStatusRunning}
	c.item.value = shown
}

// endTask completes the item of subagents.
func (v *view) endTask(c *call, value CollabAgentToolCallThreadItem, e event.ToolEnded) {
	value.Status = CollabAgentToolCallStatusFailed
	state := CollabAgentState{Status: CollabAgentStatusErrored}
	if e.Outcome == event.Succeeded {
		value.Status, state.Status = CollabAgentToolCallStatusCompleted, CollabAgentStatusCompleted
	} else if e.Outcome == event.Interrupted {
		value.Status, state.Status = CollabAgentToolCallStatusInterrupted, CollabAgentStatusInterrupted
	}
	states := map[string]CollabAgentState{}
	for _, id := range value.ReceiverThreadIDs {
		states[id] = state
	}
	value.AgentsStates = states
	v.complete(c.item, value)
}
