// Package app puts the parts of the program together as the configuration says: the journal, models, tools, tool
// servers, hooks, the sandbox and the engine. Commands and dialects work with an App, and tests with the same one.
package app
