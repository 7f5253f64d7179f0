package loaf

import (
	"fmt"

	"parley.dev/parley/internal/event"
)

// This file shows compactions.

// startCompaction is the beginning of a compaction, within a turn or outside.
func (v *view) startCompaction(rec event.Record, e event.CompactionStarted) {
	reason := CompactionAuto
	if e.Reason == event.CompactAsked {
		reason = CompactionManual
	}
	v.compacting = &compaction{reason, v.context.pinned() + conversationTokens(v.history)}
	turn, emit := string(rec.Turn), v.emit
	if v.turn != nil {
		turn = v.turn.id
		v.status(labelCompressing, true)
	} else {
		emit = v.emitAll
		v.statusBetween(labelCompressing)
	}
	n := len(v.history)
	emit(EventCompactionStarted, CompactionStarted{v.session, turn, reason, 0, n, limitsOf(v.context.window(v.settings.Model)).window})
	emit(EventCompactionAnchorSelected, CompactionAnchorSelected{v.session, turn, reason, 0, 0, n})
}

// statusBetween sends the status of a session that runs no turn.
func (v *view) statusBetween(label string) {
	v.label = label
	v.emitAll(EventSessionStatus, SessionStatus{SessionID: v.session, Pending: label != labelReady, StatusLabel: label})
}

// failCompaction ends a compaction outside a turn.
func (v *view) failCompaction(why string) {
	v.emitAll(EventCompactionFailed, CompactionFailed{v.session, "", CompactionManual, why})
	v.compacting = nil
	v.statusBetween(labelReady)
}

// uncompacted returns the numbers of a compaction that had nothing to sum up.
func (v *view) uncompacted() CompactionCompleted {
	tokens := v.context.pinned() + conversationTokens(v.history)
	if len(v.history) == 0 {
		tokens = 0
	}
	l := limitsOf(v.context.window(v.settings.Model))
	return CompactionCompleted{
		EstimatedTokensBefore: tokens, EstimatedTokensAfter: tokens, ModelContextWindow: l.window, TargetLimit: l.target, HighWatermarkLimit: l.high,
	}
}

func (v *view) endCompaction(rec event.Record, e event.Compacted) {
	reason, before := CompactionAuto, v.context.pinned()+conversationTokens(v.history)
	if v.compacting != nil {
		reason, before = v.compacting.reason, v.compacting.before
	} else if e.Reason == event.CompactAsked {
		reason = CompactionManual
	}
	v.compacting = nil
	summary := entry{HistoryEntry{Role: KindAssistant, Text: "## Conversation Summary\n\n" + e.Summary}, rec.Seq}
	kept := []entry{summary}
	for _, old := range v.history {
		if e.KeptFrom != 0 && old.seq >= e.KeptFrom {
			kept = append(kept, old)
		}
	}
	v.history = kept
	turn, emit := string(rec.Turn), v.emit
	if v.turn != nil {
		turn = v.turn.id
	} else {
		emit = v.emitAll
	}
	l := limitsOf(v.context.window(v.settings.Model))
	v.compacted = CompactionCompleted{
		SessionID: v.session, TurnID: turn, Compressed: true, Reason: reason, EstimatedTokensBefore: before,
		EstimatedTokensAfter: v.context.pinned() + conversationTokens(v.history), ModelContextWindow: l.window, TargetLimit: l.target, HighWatermarkLimit: l.high,
	}
	emit(EventCompactionSummaryMerged, CompactionSummaryMerged{v.session, turn, stamp(rec.Time), 0})
	emit(EventCompactionCompleted, v.compacted)
	provider, breakdown := v.breakdown()
	emit(EventContextEstimate, ContextEstimate{v.session, provider, breakdown.total(), "history", breakdown})
	text := fmt.Sprintf("context compression (%s): %s -> %s est. tokens (limit %s / window %s).", reason,
		grouped(before), grouped(v.compacted.EstimatedTokensAfter), grouped(l.high), grouped(l.window))
	if reason == CompactionManual {
		text = fmt.Sprintf("context compression complete: %s -> %s est. tokens.", grouped(before), grouped(v.compacted.EstimatedTokensAfter))
	}
	v.say(KindSystem, text, nil, false)
	if v.turn != nil {
		v.status(v.working(), true)
	} else {
		v.statusBetween(labelReady)
	}
}

// grouped returns a number with separators: 1,606.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
