// Package doctor is the command that examines the installation, or a model by a few real calls.
package doctor
