// Package worker runs tasks of batches: it pulls them for its free slots, prepares a folder for each, runs the prompt in a session of
// the engine, verifies the work, and stores the result. Package batch decides whether a task is tried again.
package worker
