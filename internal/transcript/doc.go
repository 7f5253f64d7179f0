// Package transcript plays dialogues with a program: the lines to send, and the lines that must
// come back, in which order. It is for tests only, and knows no protocol beyond lines of JSON.
//
// A transcript is a txtar file. Its comment is its title; its sections, all but the last
// optional, are
//
//	-- start --           command-line arguments after the program's persona, in shell quoting;
//	                      "env NAME=value" lines before them
//	-- model --           what the offline model answers, $WORK in it being that folder; a second
//	                      one is for the second start, and so on
//	-- workspace/NAME --  a file of the workspace, in which the program runs
//	-- home/NAME --       a file of HOME; PARLEY_HOME is $HOME/.parley
//	-- git --             makes a git repository of the workspace and commits the files before it,
//	                      with its text as the message; in a folder of the workspace, if its first
//	                      line is "in NAME". The transcript is skipped where there is no git
//	-- confined --        the dialogue is skipped where commands cannot be confined; see Options.Confines
//	-- wire --            the dialogue
//
// The dialogue is read line by line:
//
//	> LINE              is sent; >! LINE too, and says that it must be refused
//	< LINE              is received, and nothing before it
//	<+ LINE             is received in one or more pieces, in which one string is divided,
//	                    in the same way wherever the line contains it
//	<~ LINE             is received here or later, among the lines that follow, and before the program ends
//	~ LINE              from here on, lines that match this one may come anywhere, and are skipped
//	> EOF               closes standard input
//	< EOF               standard output ends, without anything before it
//	wait NAME           continues when the workspace has a file of that name
//	file NAME TEXT      a file of the workspace has exactly that text, a Go string; "none": there
//	                    is no such file
//	clean               the workspace's repository has no other worktree and no other branch
//	touch NAME          makes an empty file in the workspace, for a tool that waits for it
//	quiet               nothing more comes before the answer to Options.Probe
//	! signal TERM       is sent to the program; also INT, HUP, KILL
//	exit 1              input is closed, nothing more comes, and the exit code is 1
//	restart ARGS        the program ends as at exit, and is started again with the same home
//	                    and workspace; without ARGS with the same arguments; they may contain $name
//	# remark            is ignored, as are blank lines
//
// At the end of the dialogue the harness closes the input. The program must end by itself, write
// nothing more, and have exit code 0, unless "exit" or a signal preceded. The harness never sleeps:
// it reads exactly the expected lines before it sends the next.
//
// An expected line is compared token by token, the order of keys included. In it
//
//	"$name"  matches anything the first time, and the same value from then on
//	"*"      matches any value
//	"abc*"   matches a string that begins with abc
//
// $name within a longer string, and anywhere in a line to send, is replaced by the value that it
// was bound to; $WORK and $HOME by those folders; $$ by a dollar sign. An expected line that is not
// JSON is compared as text.
//
// With the flag -update the expected lines of dialogues that differ are rewritten; their $names and
// * stay where they still match. Groups of expected lines stay where they are: to record output at
// a new position, put a line there, such as "< ?".
package transcript
