// Package scripted has models that carry out the plan of a task as models of three temperaments do. They
// react: each answer depends on what the tools returned to the one before, and a model that reads
// in an error what to do does that. So their counts show what the errors are worth.
package scripted
