package cli

import (
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/stream/address"
)

// This file contains what flags of different commands have in common: names, values and completion.

// flagSynonyms are names of one thing. A command has one of them and takes the others, too.
var flagSynonyms = [][]string{
	{"workspace", "cwd"},
	{"max-steps", "max-iterations", "max-rounds"},
}

// valueSynonyms are values that mean the same. A flag has one of them and takes the others, too.
var valueSynonyms = [][]string{
	{"read-only", "readOnly"},
	{"workspace-write", "workspaceWrite"},
	{"danger-full-access", "full-access", "dangerFullAccess"},
	{"externalSandbox", "external-sandbox", "external"},
	{"on-request", "onRequest"},
	{"unlessTrusted", "unless-trusted"},
	{"auto-approve", "autoApprove"},
	{"deny-all", "denyAll"},
}

// AcceptSynonyms lets a command take the other names of its flags. They are not in its help.
func AcceptSynonyms(flags *pflag.FlagSet) {
	own := map[string]string{}
	for _, names := range flagSynonyms {
		i := slices.IndexFunc(names, func(name string) bool { return flags.Lookup(name) != nil })
		for _, name := range names {
			if i >= 0 {
				own[name] = names[i]
			}
		}
	}
	if len(own) == 0 {
		return
	}
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if canonical, ok := own[name]; ok {
			name = canonical
		}
		return pflag.NormalizedName(name)
	})
}

// A choiceValue is the value of a flag that has one of a few words.
type choiceValue struct {
	pflag.Value
	words []string
}

// Set takes a word, or the synonym of one. What is neither is left to the command, whose error
// lists the words.
func (v choiceValue) Set(text string) error {
	for _, synonyms := range valueSynonyms {
		if slices.Contains(v.words, text) || !slices.Contains(synonyms, text) {
			continue
		}
		for _, word := range v.words {
			if slices.Contains(synonyms, word) {
				return v.Value.Set(word)
			}
		}
	}
	return v.Value.Set(text)
}

// SetChoices says which words a flag has.
func SetChoices(flags *pflag.FlagSet, name string, words ...string) {
	f := flags.Lookup(name)
	f.Value = choiceValue{f.Value, words}
}

// The words of flags that several commands have.
var (
	ModeWords    = modeNames()
	SandboxWords = []string{string(approval.SandboxReadOnly), string(approval.SandboxWorkspace), string(approval.SandboxNone)}
)

func modeNames() []string {
	var names []string
	for _, mode := range approval.Modes {
		names = append(names, string(mode))
	}
	return names
}

// FinishFlags completes what the flags of cmd and of the commands below it have in common.
func FinishFlags(cmd *cobra.Command) {
	if !cmd.DisableFlagParsing {
		AcceptSynonyms(cmd.Flags())
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		complete := completions[f.Name]
		if choice, ok := f.Value.(choiceValue); ok {
			complete = cobra.FixedCompletions(choice.words, cobra.ShellCompDirectiveNoFileComp)
		}
		if complete != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // it has none yet
		}
	})
	for _, sub := range cmd.Commands() {
		FinishFlags(sub)
	}
}

// completions are of flags whose values are known when a shell asks.
var completions = map[string]cobra.CompletionFunc{
	"backend":   CompleteBackends,
	"model":     completeModels,
	"resume":    CompleteSessions,
	"workspace": completeFolders,
}

func completeFolders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func completeModels(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	a, err := newApp(cmd, address.RoleViewer, nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer a.Close()
	return a.AllModels.Names(), cobra.ShellCompDirectiveNoFileComp
}

// CompleteBackends completes the names of back ends.
func CompleteBackends(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return settings.BackendNames(), cobra.ShellCompDirectiveNoFileComp
}
