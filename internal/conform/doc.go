// Package conform checks programs against the protocols that Parley speaks: servers, with a scripted model that they call, and clients, with a
// scripted server. A case states what the protocol demands of any implementation, and no more than that; what Parley itself answers is checked by
// the transcripts of its dialects.
//
// A case is a txtar file in cases/DIALECT/server or cases/DIALECT/client. Its comment is the title, followed by lines "source: …", the place of
// the demand in the protocol's documentation, and optionally "severity: recommended", for a case that does not fail a run. Its sections are
//
//	-- model --   an answer of the model; the second section is the second answer, and so on, and later answers are "Done."
//	-- wire --    the dialogue
//
// An answer consists of lines
//
//	text TEXT      a piece of text
//	flood N        N long pieces of text
//	command LINE   calls the tool that runs commands, whatever its name is in the request
//	hold           sends nothing more until the client disconnects
//
// A dialogue consists of lines
//
//	> LINE         is sent
//	>> "TEXT"      is sent as it is, without an end of line; TEXT is quoted as in Go
//	< LINE         some line that matches comes; lines before it that do not match are skipped
//	& LINE         also comes, before or after the line above it
//	| LINE         may come in place of the line above it
//	? LINE REASON  if this comes in place of the line above it, the case is skipped
//	! LINE         must not come from here on
//	on LINE REPLY  from here on, REPLY is sent when a line comes that matches
//	collect LINE   from here on, strings at "$+name" of matching lines are joined to name
//	equal NAME "T" the joined text is T; "flood N" is the text of an answer of the model
//	model N        continues when the model has received N requests in all
//	pause 2s       nothing is read for so long
//	eof            closes the input of the program
//	ends [CODE]    the program ends in time and no process is left; with CODE, that is its exit code
//	do NAME        the lines of that section of cases/DIALECT/common.txtar
//	# remark       is ignored, as are blank lines
//
// In an expected line, members that are not named may be there, and so may elements of arrays. "$name" matches any value the first time, and
// the same from then on; "*" matches any value, "abc*" a string that begins with abc, "*abc*" one that contains it without regard to case;
// "!" as the value of a member says that the member is absent. $name in a line to send is replaced by its value, and so are $WORK, the
// workspace, $HOME, and $MEBIBYTE, a text of that size. Each line of a server must be a JSON object.
package conform
