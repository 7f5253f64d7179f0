package acp

import "parley.dev/parley/internal/event"

// This file shows compactions.

// The states of compactions.
const (
	compactionRuns      = "in_progress"
	compactionDone      = "completed"
	compactionFailed    = "failed"
	compactionCancelled = "cancelled"
)

// beginCompaction shows that a compaction has begun.
func (v *view) beginCompaction() {
	v.compaction = v.newID()
	v.compacting(CompactionUpdate{Status: compactionRuns})
}

// compacted shows a compaction that has succeeded.
func (v *view) compacted(e event.Compacted) {
	v.cost, v.used = v.cost+e.Cost, e.TokensAfter
	v.compacting(CompactionUpdate{Status: compactionDone, Summary: []ContentBlock{text(e.Summary)}})
	v.compaction = ""
	v.showUsage()
}

// endCompaction shows the end of a compaction that has not succeeded, if one is open.
func (v *view) endCompaction(status, problem string) {
	if v.compaction != "" {
		v.compacting(CompactionUpdate{Status: status, Error: problem})
		v.compaction = ""
	}
}

// compacting shows the state of the open compaction to clients that understand it.
func (v *view) compacting(update CompactionUpdate) {
	if v.caps.Session.Compaction != nil && v.compaction != "" {
		update.SessionUpdate, update.CompactionID = "compaction_update", v.compaction
		v.show(update)
	}
}
