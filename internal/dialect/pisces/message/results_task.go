package message

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/event"
)

// The details of the task tool.
type (
	TaskDetails struct {
		ProjectAgentsDir *string        `json:"projectAgentsDir"`
		Results          []TaskResult   `json:"results"`
		TotalDurationMS  int64          `json:"totalDurationMs"`
		Usage            *Usage         `json:"usage,omitzero"`
		OutputPaths      []string       `json:"outputPaths,omitzero"`
		Progress         []taskProgress `json:"progress,omitzero"`
	}

	taskHead struct {
		Index         int    `json:"index"`
		ID            string `json:"id"`
		Agent         string `json:"agent"`
		AgentSource   string `json:"agentSource"` // bundled, user or project
		Task          string `json:"task"`
		Assignment    string `json:"assignment,omitzero"`
		Description   string `json:"description,omitzero"`
		ModelOverride string `json:"modelOverride,omitzero"`
	}

	TaskResult struct {
		taskHead
		ExitCode      int                 `json:"exitCode"`
		Output        string              `json:"output"`
		Stderr        string              `json:"stderr"`
		Truncated     bool                `json:"truncated"`
		DurationMS    int64               `json:"durationMs"`
		Tokens        int                 `json:"tokens"`
		Error         string              `json:"error,omitzero"`
		Aborted       bool                `json:"aborted,omitzero"`
		AbortReason   string              `json:"abortReason,omitzero"`
		Verification  *VerificationResult `json:"verification,omitzero"`
		Usage         *Usage              `json:"usage,omitzero"`
		OutputPath    string              `json:"outputPath,omitzero"`
		PatchPath     string              `json:"patchPath,omitzero"`
		BranchName    string              `json:"branchName,omitzero"`
		NestedPatches []nestedPatch       `json:"nestedPatches,omitzero"`
		OutputMeta    *outputMeta         `json:"outputMeta,omitzero"`
	}

	nestedPatch struct {
		RelativePath string `json:"relativePath"`
		PatchPath    string `json:"patchPath"`
	}

	outputMeta struct {
		LineCount int `json:"lineCount"`
		CharCount int `json:"charCount"`
	}

	taskProgress struct {
		taskHead
		Status             string     `json:"status"` // pending, running, completed, failed or aborted
		CurrentTool        string     `json:"currentTool,omitzero"`
		CurrentToolArgs    string     `json:"currentToolArgs,omitzero"`
		CurrentToolStartMS int64      `json:"currentToolStartMs,omitzero"`
		RecentTools        []taskCall `json:"recentTools"`
		RecentOutput       []string   `json:"recentOutput"`
		ToolCount          int        `json:"toolCount"`
		Tokens             int        `json:"tokens"`
		DurationMS         int64      `json:"durationMs"`
	}

	taskCall struct {
		Tool  string `json:"tool"`
		Args  string `json:"args"`
		EndMS int64  `json:"endMs"`
	}
)

// tasks returns the details of a call that is over.
func (t *Fold) tasks(e *event.Tasks) jsontext.Value {
	d := TaskDetails{ProjectAgentsDir: pathOrNull(e.ProjectAgents), Results: []TaskResult{}, TotalDurationMS: Millis(e.Ran)}
	if len(e.Results) > 0 {
		usage := usageOf(e.Usage, e.Cost, t.turnModel.Cost)
		d.Usage = &usage
	}
	for _, r := range e.Results {
		usage := usageOf(r.Usage, r.Cost, t.turnModel.Cost)
		shown := TaskResult{
			taskHead: headOf(r.Task), ExitCode: r.ExitCode, Output: r.Output, Truncated: r.Truncated, DurationMS: Millis(r.Ran),
			Tokens: r.Usage.Input + r.Usage.Output, Error: r.Error, Aborted: r.Aborted, Verification: VerificationOf(r.Verification),
			Usage: &usage, OutputPath: r.OutputPath, PatchPath: r.PatchPath, BranchName: r.Branch,
		}
		if r.ExitCode != 0 {
			shown.Stderr = r.Error
		}
		switch {
		case r.Budget:
			shown.AbortReason = string(VerificationBudgetExceeded)
		case r.Aborted:
			shown.AbortReason = r.Error
		}
		for _, n := range r.Nested {
			shown.NestedPatches = append(shown.NestedPatches, nestedPatch{n.Repository, n.Path})
		}
		if r.OutputChars > 0 {
			shown.OutputMeta = &outputMeta{r.OutputLines, r.OutputChars}
		}
		if r.OutputPath != "" {
			d.OutputPaths = append(d.OutputPaths, r.OutputPath)
		}
		d.Results = append(d.Results, shown)
	}
	return rawjson.Marshal(d)
}

// ProgressOf returns the details of a call that runs.
func ProgressOf(e event.TasksProgressed) jsontext.Value {
	d := TaskDetails{ProjectAgentsDir: pathOrNull(e.ProjectAgents), Results: []TaskResult{}, TotalDurationMS: Millis(e.Ran)}
	for _, p := range e.Tasks {
		shown := taskProgress{
			taskHead: headOf(p.Task), Status: string(p.Status), CurrentTool: p.Current, CurrentToolArgs: p.Input, CurrentToolStartMS: p.Since,
			RecentTools: []taskCall{}, RecentOutput: p.Output, ToolCount: p.Calls, Tokens: p.Tokens, DurationMS: Millis(p.Ran),
		}
		if shown.RecentOutput == nil {
			shown.RecentOutput = []string{}
		}
		for _, c := range p.Recent {
			shown.RecentTools = append(shown.RecentTools, taskCall{c.Tool, c.Input, c.Ended})
		}
		d.Progress = append(d.Progress, shown)
	}
	return rawjson.Marshal(d)
}

func headOf(t event.Task) taskHead {
	return taskHead{t.Index, t.ID, t.Agent, t.Source, t.Text, t.Assignment, t.Description, t.Model}
}

func pathOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Millis returns a duration as it is sent to clients.
func Millis(d event.Duration) int64 { return time.Duration(d).Milliseconds() }

// VerificationOf returns a verification as clients know it; nil: none was asked for.
func VerificationOf(v *event.Verification) *VerificationResult {
	if v == nil {
		return nil
	}
	r := &VerificationResult{
		Requested: v.Requested, Profile: v.Profile, Mode: "command", Status: VerificationStatus(v.Status),
		Attempts: []VerificationAttempt{}, RetriesUsed: v.Retries, OnFailure: v.OnFailure,
	}
	for _, a := range v.Attempts {
		shown := VerificationAttempt{
			Attempt: a.Attempt, Status: VerificationStatus(a.Status), StartedAt: a.Started, EndedAt: a.Ended,
			CommandResults: []VerificationCommandResult{}, Error: a.Error,
		}
		for _, c := range a.Commands {
			shown.CommandResults = append(shown.CommandResults, VerificationCommandResult{
				Name: c.Name, Command: c.Command, ExitCode: c.ExitCode, DurationMS: Millis(c.Ran), Optional: c.Optional,
				TimedOut: c.TimedOut, ArtifactPath: c.Artifact, OutputPreview: c.Preview,
			})
		}
		r.Attempts = append(r.Attempts, shown)
	}
	return r
}
