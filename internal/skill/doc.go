// Package skill finds folders of instructions for a model: each has a SKILL.md that says
// in its head what it is for. It only reads, and trusts nothing of what it reads. Who
// loads a skill, and when, is not its business.
package skill
