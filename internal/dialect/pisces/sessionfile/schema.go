package sessionfile

import (
	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/schema"
)

// This file lists what the schema is made of.

// An Line is a line of a session file, under its name in the schema.
type Line struct {
	Type schema.Type
	Kind string // its type
}

// Lines is the lines of a session file by their types.
var Lines = []Line{
	{schema.As[Header]("SessionHeader"), message.EntryHeader},
	{schema.As[messageEntry]("MessageEntry"), message.EntryMessage},
	{schema.As[modelEntry]("ModelChangeEntry"), entryModel},
	{schema.As[thinkingEntry]("ThinkingLevelChangeEntry"), entryThinking},
	{schema.As[compactionEntry]("CompactionEntry"), entryCompaction},
	{schema.As[branchSummaryEntry]("BranchSummaryEntry"), message.EntryBranchSummary},
	{schema.As[customMessageEntry]("CustomMessageEntry"), message.EntryCustomMessage},
	{schema.As[labelEntry]("LabelEntry"), entryLabel},
	{schema.As[nameEntry]("SessionInfoEntry"), entryName},
}
