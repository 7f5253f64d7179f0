// Package task is the tool by which a model has subagents work: several side by side, each
// in a session of its own, in a copy of the folder where that is asked for, verified before
// anything of it comes back. The engine runs the sessions; what the user is asked by
// them is passed on to the user of the call.
package task
