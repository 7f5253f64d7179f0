// Package parley embeds the Parley engine, a coding agent, in a Go program: no other process is started for it, and nothing is
// sent over a wire.
//
// A [Host] has a state folder and opens sessions. A [Session] is a conversation with a model that reads and changes the files
// of a workspace and runs commands there. [Session.Run] sends a prompt and returns the answer:
//
//	host, err := parley.Open(parley.Options{Mode: parley.WorkspaceWrite})
//	if err != nil {
//		return err
//	}
//	defer host.Close(context.Background())
//	s, err := host.Create(ctx, parley.NewSession{Workspace: "/srv/shop"})
//	if err != nil {
//		return err
//	}
//	answer, err := s.Run(ctx, parley.Prompt{Text: "Why does TestTotal fail?"})
//	if err != nil {
//		return err
//	}
//	fmt.Println(answer.Text)
//
// # Records
//
// Everything that happens in a session is a numbered record, on disk before it is seen. [Session.Follow] yields the records
// from a number on, and those that come; package record has them as types. A program that is started again opens the session
// by its id and follows from the number after the last one that it has seen.
//
// # Approvals
//
// The permission mode of a session ([Mode]) decides which calls of the model run without an approval. The others are denied,
// unless [Options.Approve] decides about them, or [Options.Attended] is set and [Session.Approve] or [Session.Deny] answer.
//
// # Where settings and keys come from
//
// By default a host uses the configuration file, the environment variables and the stored sign-ins of the user, as the
// program parley does. The fields of [Options] win over them. With [Options.Isolated] nothing of the user counts.
//
// # Tests
//
// [Options.Script] is a model that plays a script, without a network: the examples of this package use it.
// docs/offline-scripts.md describes the language.
//
// # Processes and concurrency
//
// All methods are safe for concurrent use. Several hosts, also of other processes, can have the same state folder; a session
// is written by one at a time, see [ErrInUse]. Commands of a session are confined by the sandbox and end with their session or,
// if the process is killed, soon after it. On Linux the sandbox starts the program again for each command, which executes the
// command before main would run; init functions of the program that come before those of the engine run in it, too.
//
// A program that need not have the engine in its own process uses package client, whose sessions have most of these methods.
package parley
