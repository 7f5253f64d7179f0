// Package tool is what a model can do in a workspace: one tool per file, its description
// for the model beside it as Markdown. A tool knows no dialect and no session; the engine
// maps names, asks for approval, and journals results.
package tool
