// Package extension runs programs of the user's in JavaScript or TypeScript that take part in
// a session: they see what happens, may keep calls from running, and bring tools and commands.
// They all run in one process beside ours, on the Node.js or Bun that the user has, with the
// user's rights and unconfined. The package starts that process, reads the extensions in it,
// and speaks with it; what an extension sees of a session and may do to it is decided by the
// packages that pass it a Session.
//
// Nothing that an extension does ends more than the process of the extensions: a throw, a
// crash or a loop without an end is reported as a Failure, and the session goes on.
package extension
