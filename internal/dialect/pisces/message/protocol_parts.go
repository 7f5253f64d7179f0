package message

import "github.com/go-json-experiment/json/jsontext"

// This file contains what messages, events and answers of the protocol have in common.

// ThinkingLevel is how much a model reasons.
type ThinkingLevel string

// The levels, the least first.
const (
	ThinkingOff     ThinkingLevel = "off"
	ThinkingMinimal ThinkingLevel = "minimal"
	ThinkingLow     ThinkingLevel = "low"
	ThinkingMedium  ThinkingLevel = "medium"
	ThinkingHigh    ThinkingLevel = "high"
	ThinkingXHigh   ThinkingLevel = "xhigh"
)

// Result is what a call gave.
type Result struct {
	Content []Content      `json:"content"` // text and images
	Details jsontext.Value `json:"details,omitzero"`
}

// Todo is a task that is not done.
type Todo struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	Status  string `json:"status"` // pending, in_progress, completed, abandoned
}

// ModelCost is US dollars per million tokens.
type ModelCost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// The APIs that models are asked by.
const (
	APICompletions = "openai-completions"
	APIResponses   = "openai-responses"
	APIAnthropic   = "anthropic-messages"
)

// BashResult is what a command of the user gave.
type BashResult struct {
	Output      string `json:"output"`            // of both streams, the end of it
	ExitCode    *int   `json:"exitCode,omitzero"` // absent: it was cancelled
	Cancelled   bool   `json:"cancelled"`
	Truncated   bool   `json:"truncated"`
	TotalLines  int    `json:"totalLines"` // a line feed at the end begins one more
	TotalBytes  int64  `json:"totalBytes"`
	OutputLines int    `json:"outputLines"`
	OutputBytes int64  `json:"outputBytes"`
	ArtifactID  string `json:"artifactId,omitzero"` // of the whole output
}

// CompactionResult is the summary that replaces the older messages.
type CompactionResult struct {
	Summary          string            `json:"summary"`
	ShortSummary     string            `json:"shortSummary,omitzero"`
	FirstKeptEntryID string            `json:"firstKeptEntryId"`
	TokensBefore     int               `json:"tokensBefore"`
	Details          CompactionDetails `json:"details"`
	PreserveData     struct{}          `json:"preserveData"`
}

// CompactionDetails is the files that the summarised messages are about.
type CompactionDetails struct {
	ReadFiles     []string `json:"readFiles"`
	ModifiedFiles []string `json:"modifiedFiles"`
}

// Verification.
type (
	// VerificationResult is the result of a verification.
	VerificationResult struct {
		Requested   bool                  `json:"requested"`
		Profile     string                `json:"profile,omitzero"`
		Mode        string                `json:"mode,omitzero"` // none or command
		Status      VerificationStatus    `json:"status"`        // not_requested, passed, failed, skipped or, +, retried_passed
		Attempts    []VerificationAttempt `json:"attempts"`
		RetriesUsed int                   `json:"retriesUsed"`
		OnFailure   string                `json:"onFailure,omitzero"` // return_failure, retry_once or discard_patch
	}

	// VerificationStatus is how a verification, or an attempt, ended.
	VerificationStatus string

	// VerificationAttempt is one run of all commands.
	VerificationAttempt struct {
		Attempt        int                         `json:"attempt"`
		Status         VerificationStatus          `json:"status"` // passed, failed or skipped
		StartedAt      int64                       `json:"startedAt"`
		EndedAt        int64                       `json:"endedAt"`
		CommandResults []VerificationCommandResult `json:"commandResults"`
		Error          string                      `json:"error,omitzero"`
	}

	// VerificationCommandResult is one command of it.
	VerificationCommandResult struct {
		Name          string `json:"name"`
		Command       string `json:"command"`
		ExitCode      int    `json:"exitCode"`
		DurationMS    int64  `json:"durationMs"`
		Optional      bool   `json:"optional,omitzero"`
		TimedOut      bool   `json:"timedOut"`
		ArtifactPath  string `json:"artifactPath,omitzero"`
		OutputPreview string `json:"outputPreview,omitzero"` // the end of both streams
	}
)

// The statuses.
const (
	VerificationNotRequested   VerificationStatus = "not_requested"
	VerificationPassed         VerificationStatus = "passed"
	VerificationFailed         VerificationStatus = "failed"
	VerificationSkipped        VerificationStatus = "skipped"
	VerificationRetriedPassed  VerificationStatus = "retried_passed"
	VerificationBudgetExceeded VerificationStatus = "budget_exceeded"
)
