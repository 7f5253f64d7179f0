// Package console shows a session to the user at a terminal, and requests approvals and answers
// there. All text of models, tools and files is cleaned (package terminal); only the package's own
// text has colours. The package follows a session as any client does, and knows no protocol.
package console
