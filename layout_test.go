// Package parley_test holds the house to its plan: which room may import which, and why;
// where a dialect may be named; what every dialect has; that no test sleeps. ARCHITECTURE.md
// shows the same table as text.
package parley_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"parley.dev/parley/internal/racetest"
)

const module = "parley.dev/parley/"

// A room is a row of the import table.
type room struct {
	path  string            // the folder, below the module; a last element * is any folder there
	level int               // a test may import every room that is not above its own
	may   map[string]string // the rooms that it may import, and what for
	why   string            // it may import nothing else of ours
	tests bool              // only tests may import it
	top   bool              // it may import every room that is not for tests
	all   bool              // every room may import it
}

var rooms = []room{
	{path: ".", level: 7, top: true, why: "it puts the parts together for other programs, and nothing of this one imports it"},
	{path: "record", level: 2, why: "it is for other programs, and knows records from their document"},
	{path: "client", level: 2, may: map[string]string{
		"record": "a host sends records",
	}, why: "it is for other programs, and knows the protocol from its document"},
	{path: "internal/model", why: "requests to a model and its answers are plain values, which every package may use"},
	{path: "internal/commonmark", why: "it parses text, and does not know how it is shown"},
	{path: "internal/highlight", why: "it is lexers, and does not know how their pieces look"},
	{path: "internal/invisible", why: "it is a table of characters"},
	{path: "internal/text", all: true, why: "it is functions of strings, which every package may need"},
	{path: "internal/lazy", all: true, why: "it is values that are made at their first use, as those of every package may be"},
	{path: "internal/terminal", may: map[string]string{
		"internal/invisible": "the user sees which characters are not seen",
	}, why: "it writes and reads text, and does not know whose"},
	{path: "internal/terminal/terminaltest", tests: true, why: "it is a terminal, and knows no program"},
	{path: "internal/approval", may: map[string]string{
		"internal/invisible": "a question names the characters that are not seen",
	}, why: "a verdict depends on the call, the mode and the rules, on nothing that runs"},
	{path: "internal/boottime", all: true, why: "it reads a clock"},
	{path: "internal/companion", all: true, why: "it finds the programs of the installation, and does not know what for"},
	{path: "internal/program", all: true, why: "it finds programs, and does not know what for"},
	{path: "internal/tempdir", why: "it makes folders, and does not know what is in them"},
	{path: "internal/atomicfile", all: true, why: "it replaces a file, and does not know what is in it"},
	{path: "internal/sandbox/watchdog", why: "a small process of its own, which must be readable without what it guards"},
	{path: "internal/sandbox/reexec", why: "it runs before the rest of the program is initialised, and may cost nothing"},
	{path: "internal/sandbox", may: map[string]string{
		"internal/sandbox/reexec":   "it confines a command's process",
		"internal/sandbox/watchdog": "it kills commands whose lease has ended",
	}, why: "what confines a command must be readable without the rest of the house"},
	{path: "internal/git", may: map[string]string{
		"internal/sandbox": "git is confined, and has to end with us",
	}, why: "it runs git, and does not know what for"},
	{path: "internal/tool/workspace", may: map[string]string{
		"internal/approval": "a resolved path is part of what is approved",
		"internal/sandbox":  "the hooks of a repository are known there",
	}, why: "what keeps paths inside a folder must be readable without the tools"},
	{path: "internal/tool/environ", why: "which variables are secrets depends on their names and values, on nothing that runs"},
	{path: "internal/tool/shell", may: map[string]string{
		"internal/approval":     "words of the shell are read as for an approval",
		"internal/sandbox":      "commands run confined",
		"internal/tool/environ": "what a command leaves is without secrets",
	}, why: "what one command leaves to the next must be readable without the tools"},
	{path: "internal/tool/output", may: map[string]string{
		"internal/event": "it reports where stdout and stderr are in an output, as a fact has it",
	}, why: "how output is cut depends on its text, not on what writes it"},
	{path: "internal/tool/background", may: map[string]string{
		"internal/approval":       "a command has the folder that was approved",
		"internal/sandbox":        "commands run confined",
		"internal/tool/output":    "output is made text",
		"internal/tool/shell":     "commands are shell text",
		"internal/tool/workspace": "names are shown as users see them",
	}, why: "what outlives a call must be readable without the tools"},
	{path: "internal/tool/textedit", why: "how an edit is understood depends on two texts, and on no file"},
	{path: "internal/tool/patch", may: map[string]string{
		"internal/tool/textedit":  "lines are compared as those of edits are",
		"internal/tool/workspace": "an error shows names of files as users see them",
	}, why: "the meaning of a patch depends on its text, and on no file"},
	{path: "internal/racetest", tests: true, why: "any test can have a large input"},
	{path: "internal/tool/workspacetest", tests: true, may: map[string]string{
		"internal/tool/workspace": "it makes workspaces",
	}, why: "tests of tools and of workspaces need folders with files"},
	{path: "internal/signin", may: map[string]string{
		"internal/regular": "the file of secrets is opened as every stored file",
	}, why: "it gets and stores secrets, and must be readable without the packages that use them"},
	{path: "internal/review", why: "it is texts for models and of models, whatever runs the turn"},
	{path: "internal/spelling", why: "it compares names, whatever they name"},
	{path: "internal/arguments", may: map[string]string{
		"internal/spelling": "an error suggests the member that was meant",
	}, why: "it knows schemas and how models write, and no tool"},
	{path: "internal/configfile", may: map[string]string{
		"internal/spelling": "an error suggests the setting that was meant",
	}, why: "it reads any configuration into a struct, and knows no setting"},
	{path: "internal/gitroot", why: "what counts as a repository is the same wherever one is looked for"},
	{path: "internal/cache", why: "it stores values, and knows neither them nor their keys"},
	{path: "internal/frontmatter", may: map[string]string{
		"internal/cache": "the same heads are parsed repeatedly",
	}, why: "heads of Markdown files are read alike, whatever they mean"},
	{path: "internal/skill", may: map[string]string{
		"internal/gitroot":     "a project has skills up to the root of its repository",
		"internal/regular":     "a project brings skills",
		"internal/frontmatter": "skills have heads",
	}, why: "it finds and reads folders of instructions; when they are loaded is decided elsewhere"},
	{path: "internal/rule", may: map[string]string{
		"internal/regular":     "a project brings rules",
		"internal/frontmatter": "rules have heads",
	}, why: "it reads a person's rules and finds where they are broken; what happens then is decided elsewhere"},
	{path: "internal/subagent/definition", may: map[string]string{
		"internal/regular":     "a project brings agents",
		"internal/frontmatter": "agents have heads",
	}, why: "it finds and reads descriptions of agents; when they are started is decided elsewhere"},
	{path: "internal/picture", why: "pictures are scaled down in the same way for tools and for requests"},
	{path: "internal/regular", why: "opening a file safely is the same for everything that is read"},
	{path: "internal/lock", why: "it is the mutex of all the others"},
	{path: "internal/wire", may: map[string]string{
		"internal/lock": "deadlocks are found where goroutines share state",
	}, why: "lines and objects are the same for every protocol"},

	{path: "internal/wire/jsonrpc", level: 1, may: map[string]string{
		"internal/wire": "frames are lines",
	}, why: "ids and methods are the same for every protocol on JSON-RPC"},
	{path: "internal/event", level: 1, may: map[string]string{
		"internal/lock":     "the readers of a record share the line that they send",
		"internal/model":    "a message is made of the model's blocks",
		"internal/approval": "a question about a call, and its answer, are facts",
	}, why: "a fact is what happened, and does not depend on what follows from it"},
	{path: "internal/budget", level: 1, may: map[string]string{
		"internal/lock":  "deadlocks are found where goroutines share state",
		"internal/event": "that a limit is near, or reached, is a fact",
	}, why: "it counts; what is counted, and what ends at a limit, is decided elsewhere"},
	{path: "internal/subagent/worktree", level: 1, may: map[string]string{
		"internal/git":     "git copies files, finds changes and applies them",
		"internal/regular": "a project has the index and the worktrees that are read",
		"internal/sandbox": "git is a program that has to end with us",
	}, why: "it copies folders and brings changes back, and does not know what made them"},
	{path: "internal/subagent/verify", level: 1, may: map[string]string{
		"internal/event":   "the result of a check is a fact",
		"internal/sandbox": "checks run confined",
	}, why: "it runs checks; what follows from them is decided elsewhere"},
	{path: "internal/backend", level: 2, may: map[string]string{
		"internal/approval": "a call of an agent needs something",
		"internal/event":    "outcomes and the reasons of ends are those of records",
		"internal/model":    "prompts are blocks, and answers have usage",
		"internal/sandbox":  "agents are processes, which are confined and end with us",
		"internal/wire":     "they speak in lines",
	}, why: "it is the port to agents of other programs; the engine decides what is recorded of what they report"},
	{path: "internal/backend/rpc", level: 2, may: map[string]string{
		"internal/backend":      "it reads and writes the lines of its processes",
		"internal/wire":         "lines",
		"internal/wire/jsonrpc": "of JSON-RPC",
	}, why: "it is the connection of the drivers whose agents answer requests, and knows no method"},
	{path: "internal/backend/acp", level: 2, may: map[string]string{
		"internal/approval":     "a call of an agent needs something",
		"internal/backend":      "it is a driver",
		"internal/backend/rpc":  "its agents speak JSON-RPC",
		"internal/event":        "outcomes and the reasons of ends are those of records",
		"internal/model":        "prompts are blocks, and answers have usage",
		"internal/wire/jsonrpc": "of JSON-RPC",
	}, why: "it is the client of agents, and imports no dialect: the types it needs are its own"},
	{path: "internal/backend/codex", level: 2, may: map[string]string{
		"internal/approval":     "a call of an agent needs something",
		"internal/backend":      "it is a driver",
		"internal/backend/rpc":  "its agents speak JSON-RPC",
		"internal/event":        "outcomes and the reasons of ends are those of records",
		"internal/model":        "prompts are blocks, and answers have usage",
		"internal/sandbox":      "an agent whose process is confined does not confine commands",
		"internal/wire/jsonrpc": "of JSON-RPC",
	}, why: "it is the client of an app-server, and imports no dialect: the types it needs are its own"},
	{path: "internal/backend/pi", level: 2, may: map[string]string{
		"internal/regular":      "a file that is named may be a pipe, a device or endless",
		"internal/approval":     "a call of an agent needs something",
		"internal/backend":      "it is a driver",
		"internal/backend/rpc":  "commands of pi wait for answers as requests of JSON-RPC do",
		"internal/event":        "outcomes and the reasons of ends are those of records",
		"internal/model":        "prompts are blocks, and answers have usage",
		"internal/wire/jsonrpc": "ids and errors are those of frames",
	}, why: "it drives pi, and imports no dialect: the types it needs are its own"},
	{path: "internal/backend/kind", why: "the configuration and the drivers agree on names and defaults"},
	{path: "internal/backend/backendtest", level: 2, tests: true, may: map[string]string{
		"internal/racetest": "one of its agents writes much",
		"internal/backend":  "it is the suite of what a Backend promises",
		"internal/event":    "outcomes and the reasons of ends are those of records",
		"internal/model":    "prompts are blocks, and answers have usage",
		"internal/sandbox":  "it starts agents",
	}, why: "every driver passes the same suite, so it can know no protocol"},
	{path: "internal/backend/drivers", level: 3, may: map[string]string{
		"internal/backend":       "it makes back ends",
		"internal/backend/acp":   "of agents that speak the Agent Client Protocol",
		"internal/backend/codex": "of Codex",
		"internal/backend/kind":  "names of back ends begin with their kind",
		"internal/backend/pi":    "of pi and of agents that are like it",
		"internal/config":        "of the configuration",
		"internal/engine":        "their models are listed beside those of providers",
		"internal/model":         "models have windows and levels of thinking",
		"internal/model/catalog": "which the agents do not always report",
		"internal/sandbox":       "they are confined",
	}, why: "it decides what is started, and knows no session"},
	{path: "internal/approval/grantfile", level: 1, may: map[string]string{
		"internal/regular":  "the file of grants is opened as every stored file",
		"internal/approval": "what is granted, and what that covers, is said there",
	}, why: "it stores grants on disk; how they are given and used is decided elsewhere"},
	{path: "internal/replay", level: 2, may: map[string]string{
		"internal/event":          "it compares records",
		"internal/model":          "prompts and answers have blocks",
		"internal/model/cassette": "answers are played as recordings are",
	}, why: "it compares what is in journals, and runs nothing"},
	{path: "internal/model/cassette", level: 1, may: map[string]string{
		"internal/regular": "a file that is named may be a pipe, a device or endless",
		"internal/model":   "it records a Provider, and is one",
		"internal/wire":    "a recording is read line by line",
	}, why: "an answer is the same whichever provider gave it"},
	{path: "internal/model/sse", level: 1, may: map[string]string{
		"internal/model": "it yields deltas and typed failures",
	}, why: "it is the part of a stream that all providers share"},
	{path: "internal/model/modeltest", level: 1, tests: true, may: map[string]string{
		"internal/model": "it is the suite of what a Provider promises",
	}, why: "every provider passes the same suite, so it can know none of them"},
	{path: "internal/model/profile", level: 1, may: map[string]string{
		"internal/model":   "an endpoint has words for the thinking levels",
		"internal/picture": "endpoints take different pictures",
		"internal/cache":   "the same profile is looked up repeatedly",
	}, why: "what endpoints differ in is a table of plain values"},
	{path: "internal/model/translate", level: 1, may: map[string]string{
		"internal/model":         "it rewrites messages",
		"internal/model/profile": "what a message becomes depends on what the endpoint takes",
	}, why: "a history is rewritten in the same way for every wire"},
	{path: "internal/model/fallback", level: 1, may: map[string]string{
		"internal/model": "it changes requests that were refused",
	}, why: "what an endpoint refuses is the same on every wire"},
	{path: "internal/model/toolschema", level: 1, may: map[string]string{
		"internal/model":         "it rewrites the tools of a request",
		"internal/cache":         "requests have the same tools repeatedly",
		"internal/model/profile": "what a schema becomes depends on what the endpoint takes",
	}, why: "schemas are rewritten in the same way for every wire"},
	{path: "internal/model/*", level: 1, may: map[string]string{
		"internal/regular":          "a file that is named may be a pipe, a device or endless",
		"internal/model":            "it is a Provider, or describes models",
		"internal/model/sse":        "most providers stream the same way",
		"internal/model/profile":    "endpoints that speak one wire differ",
		"internal/model/translate":  "the history may be of another model",
		"internal/model/fallback":   "an endpoint may refuse a part of a request",
		"internal/model/toolschema": "endpoints take different parts of JSON Schema",
		"internal/cache":            "the same model is looked up repeatedly",
	}, why: "a provider knows one service's wire; never sideways to another provider"},
	{path: "internal/tool/snapshot", may: map[string]string{
		"internal/gitroot": "git compares in repositories only",
		"internal/regular": "a project has the git folder whose small files are read",
		"internal/git":     "git compares",
		"internal/tempdir": "git has a folder of its own",
		"internal/sandbox": "git is a program that has to end with us",
	}, why: "it compares files before and after a command, and does not know whose"},
	{path: "internal/tool", level: 1, may: map[string]string{
		"internal/tool/snapshot":   "what commands change in files is found out there",
		"internal/tempdir":         "whole outputs lie there",
		"internal/tool/output":     "output of commands is cut there",
		"internal/tool/background": "commands run in the background there",
		"internal/tool/shell":      "commands run in it",
		"internal/tool/workspace":  "paths of a model are resolved and opened there",
		"internal/tool/environ":    "a command that a grant covers gets settings of git",
		"internal/tool/textedit":   "edits of a model are made there",
		"internal/tool/patch":      "patches of a model are read and applied there",
		"internal/approval":        "a call names what it would touch",
		"internal/sandbox":         "commands run confined",
		"internal/event":           "a typed result is a fact, declared once, in event",
		"internal/invisible":       "a preview names the characters of a new text that are not seen",
		"internal/model":           "what the model sees of a result may be an image block",
		"internal/picture":         "images that are read are scaled down",
		"internal/skill":           "a model loads a skill by a tool",
		"internal/spelling":        "an error suggests the file that was meant",
		"internal/subagent/verify": "how work is verified is a setting of the surroundings",
	}, why: "a tool does one thing in a workspace; the engine decides when"},

	{path: "internal/journal", level: 2, may: map[string]string{
		"internal/event": "it keeps facts",
		"internal/model": "the title of a session is the text of its first prompt's blocks",
	}, why: "a store promises order and durability of facts, not their meaning"},
	{path: "internal/journal/journaltest", level: 2, tests: true, may: map[string]string{
		"internal/racetest": "some of its journals are large",
		"internal/journal":  "it is the suite of the promise",
		"internal/event":    "it needs facts to store",
		"internal/model":    "facts have messages in them",
	}, why: "every driver passes the same suite, so it can know none of them"},
	{path: "internal/journal/chain", level: 2, may: map[string]string{
		"internal/event": "a line is a record and its hash",
	}, why: "the bytes of a journal are the same in every store"},
	{path: "internal/stream/address", all: true, why: "it is values, which every package that passes them on may have"},
	{path: "internal/stream", level: 1, may: map[string]string{
		"internal/regular": "a file that is named may be a pipe, a device or endless",
		"internal/event":   "sessions have subjects",
	}, why: "it publishes messages, and does not know what they mean"},
	{path: "internal/stream/natstest", level: 1, tests: true, why: "it is processes, and knows no driver"},
	{path: "internal/stream/streamtest", level: 1, tests: true, may: map[string]string{
		"internal/stream": "it simulates the servers",
	}, why: "the logs of all packages fail in the same ways"},
	{path: "internal/cluster/tunnel", level: 1, may: map[string]string{
		"internal/stream/streamtest": "messages are lost in simulated time",
		"internal/stream":            "a tunnel is tested on real servers",
		"internal/stream/natstest":   "a tunnel is tested on real servers",
	}, why: "it carries bytes, and does not know whose"},
	{path: "internal/cluster/peer", level: 1, may: map[string]string{
		"internal/cluster/tunnel": "a connection is relayed to another host",
	}, why: "it says what hosts know of each other, and not how"},
	{path: "internal/cluster", level: 1, may: map[string]string{
		"internal/cluster/peer":      "it is what members know of each other",
		"internal/cluster/tunnel":    "a connection is relayed to another host",
		"internal/stream":            "the key of a host is a message",
		"internal/boottime":          "a key ends while its machine is suspended",
		"internal/stream/streamtest": "keys are renewed in simulated time",
	}, why: "it knows which processes live, and not what they share"},
	{path: "internal/journal/*", level: 2, may: map[string]string{
		"internal/cluster":           "sessions of a host that does not live are free",
		"internal/stream":            "a frame is a message",
		"internal/stream/streamtest": "leases are simulated",
		"internal/stream/natstest":   "a driver is tested with its servers",
		"internal/regular":           "another program may have made the folder of a session",
		"internal/journal":           "it keeps the promise",
		"internal/journal/chain":     "the bytes of a journal are the same in every store",
		"internal/event":             "it stores facts",
	}, why: "a driver knows its medium; never sideways to another driver"},

	{path: "internal/metric", level: 1, why: "it counts and writes numbers, and does not know of what"},
	{path: "internal/storemetric", level: 2, may: map[string]string{
		"internal/metric":            "it counts",
		"internal/boottime":          "a renewal is sent by that clock",
		"internal/cluster":           "keys are renewed",
		"internal/journal/jetstream": "frames are submitted, sessions claimed and lost",
		"internal/stream":            "a namespace has a size",
	}, why: "what is observed depends on no metric"},

	{path: "internal/batch", level: 2, may: map[string]string{
		"internal/budget":     "tasks and batches have limits",
		"internal/configfile": "errors of a tasks file name members as those of configurations",
	}, why: "what is decided about tasks depends on their logs, and on no session"},
	{path: "internal/batch/batchtest", level: 2, tests: true, may: map[string]string{
		"internal/batch": "it is the suite of the port",
	}, why: "every driver passes the same suite, so it can know none of them"},
	{path: "internal/batch/jetstream", level: 2, may: map[string]string{
		"internal/batch":             "it is a driver",
		"internal/batch/batchtest":   "it passes the suite",
		"internal/cluster":           "a connection is that of a member",
		"internal/stream":            "an entry is a message",
		"internal/stream/streamtest": "batches are simulated",
		"internal/stream/natstest":   "a driver is tested with its servers",
	}, why: "a driver knows its medium; it runs no task"},
	{path: "internal/batch/local", level: 2, may: map[string]string{
		"internal/batch": "it is a driver",
	}, why: "a driver knows its medium"},

	{path: "internal/session", level: 2, may: map[string]string{
		"internal/approval": "settings of former versions get the policy that held",
		"internal/event":    "it is a fold of records",
		"internal/journal":  "the summary that lists show is one fold, for journals and for sessions",
		"internal/model":    "the history is messages",
	}, why: "the state of a session depends on its records alone: no lock, no I/O, nothing that runs"},
	{path: "internal/sessionlog", level: 2, may: map[string]string{
		"internal/event":   "it numbers facts and delivers them",
		"internal/journal": "what was committed is on disk",
		"internal/model":   "facts have images in them, which are stored as blobs",
		"internal/lock":    "it is used by many goroutines",
	}, why: "it orders the records of one session; what they mean is the engine's business"},
	{path: "internal/websearch", level: 2, may: map[string]string{
		"internal/tool":  "it is a Searcher",
		"internal/event": "a hit is part of a fact",
	}, why: "it knows search services, and not what is searched for"},

	{path: "internal/subagent/task", level: 2, may: map[string]string{
		"internal/regular":             "a file that is named may be a pipe, a device or endless",
		"internal/tool":                "it is a tool",
		"internal/subagent/definition": "agents do the tasks",
		"internal/subagent/worktree":   "tasks can be isolated",
		"internal/subagent/verify":     "and verified",
		"internal/approval":            "a call names what it needs",
		"internal/event":               "the result of a task is a fact",
		"internal/model":               "subagents use tokens",
	}, why: "it distributes tasks to subagents and collects their results; sessions are the engine's"},

	{path: "internal/mcp/form", level: 2, may: map[string]string{
		"internal/event": "the fields of a form are questions",
	}, why: "it reads forms and answers; its parent asks the user"},

	{path: "internal/mcp", level: 2, may: map[string]string{
		"internal/tool/environ": "keys of a server are hidden in its output",
		"internal/mcp/form":     "what servers ask the user for are forms",
		"internal/lock":         "deadlocks are found where goroutines share state",
		"internal/tool":         "it is a Source of tools",
		"internal/approval":     "a call names its server",
		"internal/event":        "the state of a server is a fact",
		"internal/model":        "what the model sees of a result may be an image block",
		"internal/sandbox":      "servers are programs that have to end with us",
		"internal/mcp/oauth":    "requests to remote servers have the tokens of sign-ins",
	}, why: "it speaks one foreign protocol and offers what it finds as tools"},

	{path: "internal/mcp/oauth", level: 2, may: map[string]string{
		"internal/signin": "tokens are stored, and browsers come back, as for all sign-ins",
		"internal/tool":   "which addresses are private is known there",
	}, why: "it signs the user in to servers, and does not know what they offer"},
	{path: "internal/mcp/oauth/oauthtest", level: 2, tests: true, may: map[string]string{
		"internal/signin": "tests have a store without a keyring",
	}, why: "tests of the room and of its users need the same servers"},

	{path: "internal/hook", level: 2, may: map[string]string{
		"internal/configfile": "what is wrong with an answer is named as in a configuration",
		"internal/event":      "what it is asked about, and has decided, is a fact",
		"internal/model":      "a report has the usage of a turn",
		"internal/sandbox":    "hooks are commands that have to end with us",
	}, why: "it asks the user's commands; what follows from the answers is the engine's"},

	{path: "internal/extension", level: 2, may: map[string]string{
		"internal/lock":     "deadlocks are found where goroutines share state",
		"internal/regular":  "a project has manifests",
		"internal/tool":     "what extensions offer are tools",
		"internal/approval": "a call of one names what it would touch",
		"internal/event":    "a call has an id",
		"internal/model":    "a result may be a picture",
		"internal/sandbox":  "their process is started so that nothing of it is left behind",
		"internal/wire":     "its lines are cut and written as all are",
	}, why: "it runs extensions; what they see of a session, and do to it, is given to it"},
	{path: "internal/export/html", level: 2, may: map[string]string{
		"internal/event":      "it shows facts",
		"internal/model":      "facts have messages in them",
		"internal/invisible":  "a page shows which characters are not seen",
		"internal/highlight":  "code has colours",
		"internal/commonmark": "messages are Markdown",
	}, why: "a page is a fold of the records, and does not depend on what wrote them"},

	{path: "internal/export/page", level: 2, may: map[string]string{
		"internal/event": "it sends records",
	}, why: "it has pages rendered by another program, and links nothing of what renders them"},
	{path: "internal/export/page/program", level: 2, may: map[string]string{
		"internal/event":       "a page is made of records",
		"internal/export/html": "it renders them",
		"internal/export/page": "they are sent to it",
	}, why: "it is a process of its own, which renders what it is sent"},
	{path: "internal/export/markdown", level: 2, may: map[string]string{
		"internal/event":   "it writes records",
		"internal/model":   "records have messages in them",
		"internal/session": "a command of the user reads as it does for the model",
	}, why: "it depends on the records alone, as a page does"},
	{path: "internal/export/html/htmltest", level: 2, tests: true, may: map[string]string{
		"internal/event": "a session to show",
		"internal/model": "facts have messages in them",
	}, why: "tests of the room and of the program look at the same session"},

	{path: "internal/config", level: 3, may: map[string]string{
		"internal/backend/kind":  "back ends have names and defaults",
		"internal/tool/environ":  "names of secrets are refused",
		"internal/configfile":    "the file is read as all configurations",
		"internal/regular":       "projects name tool servers in files of their own",
		"internal/spelling":      "an error suggests the moment that was meant",
		"internal/approval":      "modes and their names are known there",
		"internal/sandbox":       "so are the ways to confine commands",
		"internal/budget":        "so are limits",
		"internal/hook":          "so are hooks, and how Claude Code writes them",
		"internal/event":         "hooks run at moments",
		"internal/model":         "prices and levels of thinking can be set",
		"internal/model/profile": "endpoints resemble known ones, by name",
		"internal/tool":          "tool servers and the search service are offered to tools",
		"internal/websearch":     "a search service that cannot be used is an error of the configuration",
	}, why: "it knows what is set and where; what follows from it is decided elsewhere"},
	{path: "internal/config/configtest", level: 3, tests: true, why: "tests of the configuration and of its users need files and variables of their own"},

	{path: "internal/engine", level: 3, may: map[string]string{
		"internal/sandbox":         "the agent of a back end is confined as the session is",
		"internal/backend":         "the agents of other programs run turns",
		"internal/tool/background": "background commands end with their session",
		"internal/tool/snapshot":   "what commands change in files is found out for a session",
		"internal/tool/shell":      "the commands of a user have a shell of their own",
		"internal/arguments":       "models write the arguments of tools",
		"internal/lock":            "deadlocks are found where goroutines share state",
		"internal/regular":         "a project has context files",
		"internal/git":             "a client asks what is not committed",
		"internal/gitroot":         "a project has context files up to the root of its repository",
		"internal/event":           "everything it does is a fact",
		"internal/cache":           "many sessions have the same tools",
		"internal/picture":         "pictures of a request fit its model",
		"internal/journal":         "what was acknowledged is on disk",
		"internal/session":         "it runs sessions, whose state that is",
		"internal/sessionlog":      "it writes the records of sessions and delivers them to followers",
		"internal/model":           "it asks models",
		"internal/skill":           "models are offered skills, and prompts name them",
		"internal/tool":            "it runs tools",
		"internal/approval":        "it asks whether a call may run",
		"internal/hook":            "it runs hooks, and acts on their results",
		"internal/budget":          "it asks whether there is something left",
		"internal/subagent/verify": "how tasks are verified is an option",
	}, why: "it knows no protocol, so that any dialect can follow any session"},

	{path: "internal/provider", level: 4, may: map[string]string{
		"internal/regular":         "a file that is named may be a pipe, a device or endless",
		"internal/config":          "providers and models are settings",
		"internal/engine":          "it is the engine's source of models",
		"internal/model":           "what it finds is called as every provider",
		"internal/model/anthropic": "it makes the clients of each API",
		"internal/model/openai":    "it makes the clients of each API",
		"internal/model/offline":   "the demo and the script player are models, too",
		"internal/model/cassette":  "so are recordings, and answers are recorded",
		"internal/model/catalog":   "known models have known windows and prices",
		"internal/model/profile":   "what a model takes depends on the endpoint",
		"internal/signin":          "keys of the user are stored there",
		"internal/spelling":        "an error suggests the model that was meant",
	}, why: "it finds the endpoint of a model's name, and knows nothing of sessions"},
	{path: "internal/batch/worker", level: 4, may: map[string]string{
		"internal/approval":          "tasks have a sandbox",
		"internal/batch":             "it runs attempts",
		"internal/engine":            "each in a session",
		"internal/event":             "whose turn it follows",
		"internal/git":               "it clones and fetches",
		"internal/model":             "an answer is blocks, and failures have kinds",
		"internal/sandbox":           "git is a program that has to end with us",
		"internal/subagent/verify":   "work is verified as that of subagents",
		"internal/subagent/worktree": "tasks work in copies",
		"internal/tool":              "verification is confined as commands of tools are",
	}, why: "internal/batch decides whether a task is tried again"},
	{path: "internal/telemetry/target", why: "it knows variables and settings, and exports nothing"},
	{path: "internal/telemetry/otlp", why: "it is a wire, and knows nothing of what is sent"},
	{path: "internal/telemetry/otlp/otlptest", tests: true, may: map[string]string{
		"internal/telemetry/otlp": "it decodes its messages",
	}, why: "tests of the exporter and of the program decode the same messages"},
	{path: "internal/telemetry", level: 2, may: map[string]string{
		"internal/telemetry/otlp":   "it sends its messages",
		"internal/telemetry/target": "it exports to what is configured",
		"internal/regular":          "a file that is named may be a pipe, a device or endless",
		"internal/event":            "it exports what facts report",
		"internal/lock":             "its lock is checked for deadlocks in tests",
		"internal/model":            "a call of a model has a usage",
	}, why: "it is a follower of records, and knows no engine"},
	{path: "internal/app", level: 4, may: map[string]string{
		"internal/dialect/legacy":      "the engine is informed what former versions did not store",
		"internal/backend/drivers":     "agents of other programs are back ends",
		"internal/tool/background":     "a session has background commands",
		"internal/approval":            "it is informed which shell reads commands",
		"internal/tool/shell":          "a session's commands leave their folder to the next",
		"internal/tool/environ":        "keys stay out of what is started",
		"internal/approval/grantfile":  "the grants of workspaces are stored in a file",
		"internal/config":              "the parts are made from the configuration",
		"internal/engine":              "it is one of the parts",
		"internal/event":               "the state of a tool server is a fact",
		"internal/extension":           "extensions have tools",
		"internal/hook":                "hooks are parts",
		"internal/journal":             "so is the store of journals",
		"internal/journal/file":        "which is in files",
		"internal/cluster/peer":        "that several processes share",
		"internal/metric":              "the store has metrics",
		"internal/telemetry/target":    "sessions are exported where a collector is configured",
		"internal/mcp":                 "so are tool servers",
		"internal/mcp/oauth":           "and the sign-ins to them",
		"internal/model/offline":       "a program can bring a script",
		"internal/model/cassette":      "answers are recorded where the settings name a file",
		"internal/provider":            "so are models",
		"internal/regular":             "a project has hooks in files of its own",
		"internal/sandbox":             "it starts and confines commands",
		"internal/tempdir":             "the process has files of its own",
		"internal/signin":              "so are sign-ins",
		"internal/skill":               "sessions have skills",
		"internal/subagent/definition": "sessions have agents",
		"internal/subagent/task":       "which do tasks",
		"internal/subagent/worktree":   "in copies of the folder",
		"internal/tool":                "sessions have tools",
		"internal/tool/workspace":      "which work in a folder",
		"internal/wire":                "the log waits for no reader",
	}, why: "it knows every part and none of the protocols; commands decide what is served"},
	{path: "internal/app/parts", level: 4, may: map[string]string{
		"internal/app":               "it has parts of it",
		"internal/cluster":           "a shared store has members",
		"internal/engine":            "what is exported are its sessions",
		"internal/journal/jetstream": "and is on servers",
		"internal/storemetric":       "its use is counted",
		"internal/telemetry":         "sessions are exported",
	}, why: "it is what not all programs link"},
	{path: "internal/app/batches", level: 4, may: map[string]string{
		"internal/app":             "a worker is made of its parts",
		"internal/batch":           "batches have a store",
		"internal/batch/jetstream": "where the batches of a shared store are",
		"internal/batch/local":     "that is a file",
		"internal/batch/worker":    "it makes one",
		"internal/cluster":         "the connection is that of a member",
	}, why: "it puts the parts of batches together"},
	{path: "internal/host/token", level: 4, may: map[string]string{
		"internal/lock":    "its lock is checked for deadlocks in tests",
		"internal/regular": "the file of tokens is opened as every stored file",
	}, why: "it compares and stores tokens, and knows neither connections nor roles"},
	{path: "internal/host/audit", level: 4, may: map[string]string{
		"internal/lock": "its lock is checked for deadlocks in tests",
	}, why: "it writes lines, and does not know what causes them"},
	{path: "internal/host/web", level: 4, may: map[string]string{
		"internal/regular":     "a file that is named may be a pipe, a device or endless",
		"internal/lock":        "its lock is checked for deadlocks in tests",
		"internal/host":        "clients of the network are clients of the host",
		"internal/metric":      "it serves metrics",
		"internal/host/token":  "they authenticate with tokens",
		"internal/host/audit":  "what they do is logged",
		"internal/host/socket": "it knows which errors of a WebSocket connection are those of the client",
	}, why: "it decides which clients may connect from the network, and knows no protocol"},
	{path: "internal/host", level: 4, may: map[string]string{
		"internal/lock":       "its lock is checked for deadlocks in tests",
		"internal/wire":       "a preamble is a strict object",
		"internal/host/audit": "connections are logged",
		"internal/host/token": "a client of the network may do what its token allows",
	}, why: "it knows connections, and no protocol"},
	{path: "internal/host/socket", level: 4, may: map[string]string{
		"internal/host":    "a Unix socket is made as that of a host",
		"internal/regular": "tokens and secrets are in files that are named",
	}, why: "it decides which clients may connect, and knows no protocol"},
	{path: "internal/mcpserver", level: 4, may: map[string]string{
		"internal/engine":   "a call of a tool is a turn of a session",
		"internal/event":    "it follows the records of a turn",
		"internal/approval": "a call sets the permission mode or the sandbox of its session",
		"internal/model":    "the answer of a turn is the text of a message",
		"internal/lock":     "deadlocks are found where goroutines share state",
		"internal/wire":     "lines that are no message are dropped",
	}, why: "it is a front end of the engine for clients that speak MCP, and knows no dialect"},

	{path: "internal/dialect/rights", level: 4, may: map[string]string{
		"internal/engine":       "what a client can reach is decided there",
		"internal/approval":     "sandboxes and modes differ in what they need",
		"internal/event":        "settings of sessions have both",
		"internal/wire":         "lines are read",
		"internal/wire/jsonrpc": "as the protocols read them",
	}, why: "the rights of clients are the same for all protocols, and it knows none"},
	{path: "internal/dialect", level: 4, may: map[string]string{
		"internal/approval":       "permissions of a session are compared with those of a command line",
		"internal/lock":           "deadlocks are found where goroutines share state",
		"internal/regular":        "a project has settings and instructions",
		"internal/engine":         "the pump follows a session",
		"internal/event":          "it carries records",
		"internal/wire":           "it fills the outbox",
		"internal/dialect/rights": "lines that a client must not send do not reach a protocol",
	}, why: "what protocols share is how records become lines"},
	{path: "internal/dialect/schema", level: 4, why: "it makes schemas of Go types, whosever they are"},
	{path: "internal/conform", level: 4, why: "it checks programs of any origin by what the protocols demand, and shares no code with what it checks"},
	{path: "internal/dialect/dialogue", level: 4, why: "small clients know lines, and no types"},
	{path: "internal/dialect/credentials", level: 4, why: "it is a list of names of files"},
	{path: "internal/dialect/legacy", level: 4, why: "it is a list of names of profiles"},
	{path: "internal/dialect/dialecttest", level: 4, tests: true, may: map[string]string{
		"internal/dialect":             "what a toolset leaves out is said there",
		"internal/dialect/rights":      "the rights of clients are tried",
		"internal/tool/background":     "sessions of tests have background commands",
		"internal/dialect/schema":      "it validates against what that makes",
		"internal/engine":              "a process has one",
		"internal/event":               "folds are held to what is strange to them",
		"internal/mcp":                 "tool servers are programs",
		"internal/subagent/definition": "there are kinds of subagents",
		"internal/budget":              "a process may have one",
		"internal/journal/file":        "sessions are on disk",
		"internal/journal":             "or in a store that several hosts share",
		"internal/sandbox":             "commands run confined",
		"internal/subagent/task":       "it is one of the tools",
		"internal/tool":                "toolsets are held to the tools",
		"internal/tool/workspace":      "which work in a folder",
		"internal/subagent/worktree":   "tasks are isolated",
		"internal/model":               "models are offered and refused",
		"internal/model/catalog":       "models have limits",
		"internal/model/offline":       "they answer from a script",
		"internal/transcript":          "tests build the program once",
	}, why: "every dialect's tests stand on it, so it can know none of them"},
	{path: "internal/dialect/*", level: 4, may: map[string]string{
		"internal/lock":              "deadlocks are found where goroutines share state",
		"internal/configfile":        "clients have configuration files of their own",
		"internal/invisible":         "users see which characters are not seen",
		"internal/regular":           "clients name files, and settings are read",
		"internal/dialect":           "the input and the pump are the same for all",
		"internal/dialect/schema":    "its wire is described by JSON Schema",
		"internal/dialect/appserver": "protocols of one family share what is not their wire",
		"internal/dialect/rights":    "each of its messages has a row",
		"internal/engine":            "messages in are its verbs",
		"internal/event":             "messages out are its facts",
		"internal/model":             "prompts and answers are made of its blocks, and models have names and limits",
		"internal/approval":          "modes and rules have wire words",
		"internal/frontmatter":       "commands of users have heads",
		"internal/rule":              "rules for models have wire words",
		"internal/skill":             "users list skills and name them in prompts",
		"internal/spelling":          "an error suggests the command that was meant",
		"internal/review":            "reviews have instructions and results that no wire has",
		"internal/extension":         "clients see what extensions do and ask",
		"internal/wire":              "lines in and out",
		"internal/wire/jsonrpc":      "some protocols are JSON-RPC",

		"internal/export/markdown": "clients export a session",
	}, why: "a dialect is translation only; never sideways to another dialect, and what it cannot say is an option of the engine"},
	{path: "internal/dialect/appserver", level: 4, may: map[string]string{
		"internal/lock":         "deadlocks are found where goroutines share state",
		"internal/dialect":      "commands end in words that all share",
		"internal/event":        "output and diffs are those of facts",
		"internal/model":        "prompts have images",
		"internal/regular":      "clients name files",
		"internal/wire/jsonrpc": "requests have ids",
		"internal/wire":         "errors name fields of params",
	}, why: "two protocols of one family stand on it, and it knows neither"},
	{path: "internal/dialect/scaiflux/repl", level: 4, may: map[string]string{
		"internal/dialect/scaiflux": "it is a client of that wire",
		"internal/console":          "it asks as other commands at a terminal do",
		"internal/terminal":         "the user edits lines",
		"internal/event":            "a call has an outcome",
		"internal/approval":         "a mode covers calls",
	}, why: "it knows the wire, and nothing of the server"},
	{path: "internal/dialect/acp/v2", level: 4},
	{path: "internal/dialect/pisces/rawjson", level: 4, may: map[string]string{
		"internal/wire": "objects are read as on every wire",
	}, why: "it keeps the JSON of other programs as it was, whatever it means"},
	{path: "internal/dialect/pisces/message", level: 4, may: map[string]string{
		"internal/dialect":                "an input of a tool is shown as an object",
		"internal/dialect/pisces/rawjson": "messages of other programs are kept",
		"internal/event":                  "messages are a fold of the facts",
		"internal/model":                  "a message is made of its blocks",
		"internal/wire":                   "an object is read as on every wire",
	}, why: "a message is the same for every client, and in every file"},
	{path: "internal/dialect/pisces/sessionfile", level: 4, may: map[string]string{
		"internal/regular":                "clients name session files",
		"internal/dialect/pisces/message": "entries have messages in them",
		"internal/dialect/pisces/rawjson": "entries of other programs are kept",
		"internal/dialect/schema":         "its entries are described by JSON Schema",
		"internal/engine":                 "sessions are read from a host",
		"internal/event":                  "a file is a fold of the facts, and gives some",
		"internal/model":                  "messages are made of its blocks",
		"internal/wire":                   "a file is lines",
	}, why: "it knows files, and no client"},
	{path: "internal/dialect/pisces/recordtest", level: 4, tests: true, may: map[string]string{
		"internal/event": "records are facts",
		"internal/model": "facts have messages in them",
	}, why: "tests of all its rooms stand on it"},
	{path: "internal/dialect/codex/codextest", level: 4, tests: true, why: "it knows the published schema, and nothing of how the dialect is written"},
	{path: "internal/dialect/acp/acptest", level: 4, tests: true, why: "it knows the published schema, and nothing of how the dialect is written"},
	{path: "internal/console", level: 4, may: map[string]string{
		"internal/engine":   "a user at a terminal goes through the same door as a dialect",
		"internal/event":    "it shows facts",
		"internal/approval": "the user answers approvals",
		"internal/terminal": "it writes to terminals, and reads from them",
	}, why: "a console can do nothing that a dialect cannot"},

	{path: "internal/tui/conversation", level: 3, may: map[string]string{
		"record": "items are made of records",
	}, why: "it is a fold of the records, and shows nothing"},
	{path: "internal/tui/draw", level: 3, may: map[string]string{
		"record":                    "items have parts of records in them",
		"internal/tui/conversation": "it draws items",
		"internal/commonmark":       "messages are Markdown",
		"internal/highlight":        "code has colours",
		"internal/invisible":        "the user sees which characters are not seen",
		"internal/terminal":         "foreign text cannot control the terminal",
	}, why: "an item becomes lines, whatever the screen and the keys are"},
	{path: "internal/tui/graphics", level: 3, may: map[string]string{
		"record":            "records have images",
		"internal/tui/draw": "images are drawn as text",
	}, why: "it knows images and terminals, and no session"},
	{path: "internal/tui/page", level: 3, may: map[string]string{
		"internal/tui/conversation": "it chooses items",
	}, why: "it scrolls, and does not know how items look"},
	{path: "internal/tui/link", level: 3, may: map[string]string{
		"client": "it connects to hosts",
		"record": "a host sends records",
	}, why: "it is a client as every other, and knows the protocol from its document"},
	{path: "internal/tui/plain", level: 4, may: map[string]string{
		"client":                    "a host refuses requests",
		"record":                    "items have parts of records",
		"internal/invisible":        "the user sees which characters are not seen",
		"internal/terminal":         "foreign text controls no terminal",
		"internal/tui/conversation": "it prints items",
		"internal/tui/link":         "it is a console",
	}, why: "it is a client as every other"},
	{path: "internal/tui/screen", level: 5, may: map[string]string{
		"client":                    "a host refuses requests",
		"record":                    "items have parts of records",
		"internal/terminal":         "foreign text controls no terminal",
		"internal/tui/conversation": "it shows items",
		"internal/tui/draw":         "they are drawn there",
		"internal/tui/graphics":     "images are shown where they were drawn",
		"internal/tui/page":         "and scrolled",
		"internal/tui/link":         "it is a console",
	}, why: "it is a client as every other"},
	{path: "internal/tui/program", level: 6, may: map[string]string{
		"internal/regular":      "a file that is named may be a pipe, a device or endless",
		"client":                "a host refuses requests",
		"record":                "records wait for the screen",
		"internal/gitroot":      "the branch of the workspace is shown",
		"internal/terminal":     "whether there is a terminal decides",
		"internal/tui/graphics": "the environment determines whether the terminal shows images",
		"internal/tui/link":     "it connects",
		"internal/tui/plain":    "it runs the plain mode",
		"internal/tui/screen":   "or the screen",
	}, why: "the console is linked without the engine, as a client of others would be"},
	{path: "cmd/parley-console", level: 6, may: map[string]string{
		"internal/export/page":         "parley names what it starts it for",
		"internal/export/page/program": "it renders pages",
		"internal/tui/program":         "that is what it starts",
	}, why: "the console is linked without the engine, as a client of others would be"},

	{path: "internal/transcript", level: 5, tests: true, may: map[string]string{
		"internal/model/offline": "a transcript contains the answers of the model",
	}, why: "it plays any dialect, so it can know none"},
	{path: "e2e", level: 5, tests: true, why: "it meets the program as its users do, from outside"},
	{path: "e2e/stage", level: 5, tests: true, may: map[string]string{
		"internal/transcript":      "tests build the program once",
		"internal/model/modeltest": "it plays models",
	}, why: "tests of the program stand on it, so it can know no protocol"},
	{path: "e2e/client", level: 5, tests: true, may: map[string]string{
		"e2e/stage": "a program is started in a place",
	}, why: "it speaks the protocols as anyone can, and shares no type with the program"},
	{path: "e2e/cluster/accounts", level: 5, tests: true, why: "it makes users of a server for tests, with the server's libraries"},
	{path: "e2e/telemetry/collector", level: 5, tests: true, why: "it is a program of another project, put together for tests"},
	{path: "e2e/*", level: 5, tests: true, why: "it meets the program as its users do, from outside"},
	{path: "examples", level: 5, tests: true, why: "it starts the clients as their users do"},
	{path: "examples/approver", level: 5, may: map[string]string{
		"client": "it shows how a program uses it",
		"record": "an approval is a record",
	}, why: "it imports what every program can import"},
	{path: "examples/bot", level: 5, may: map[string]string{
		"client": "it shows how a program uses it",
		"record": "an approval is a record",
	}, why: "it imports what every program can import"},
	{path: "examples/*", level: 5, why: "a client imports nothing of ours: it is to be copied"},
	{path: "tools/*", level: 5, why: "it is a module of its own, for the build"},
	{path: "bench", level: 5, tests: true, may: map[string]string{
		"internal/dialect/dialogue": "programs are talked to as small clients do",
		"bench/mock":                "it is the model",
		"bench/report":              "it shows the figures",
		"bench/store":               "it measures the store on NATS servers",
		"internal/event":            "journals that are resumed have facts in them",
		"internal/journal/file":     "they are written as the program writes them",
		"internal/model":            "facts have messages in them",
		"internal/model/modeltest":  "it knows how models stream",
	}, why: "it meets the program from outside; what it measures it does not link"},
	{path: "bench/mock", level: 5, tests: true, may: map[string]string{
		"internal/model":           "a reply has its usage",
		"internal/model/modeltest": "it knows how models stream",
	}, why: "a model knows no agent"},
	{path: "bench/report", level: 5, tests: true, why: "figures are numbers, whatever was measured"},
	{path: "bench/store", level: 5, tests: true, may: map[string]string{
		"internal/batch":             "the overhead of tasks is measured",
		"internal/batch/jetstream":   "it is their store",
		"internal/cluster":           "hosts are simulated",
		"internal/event":             "records are appended",
		"internal/journal":           "the port of what is measured",
		"internal/journal/jetstream": "it is measured",
		"internal/stream":            "namespaces are made",
	}, why: "it measures the driver beside the client library"},
	{path: "bench/floor", level: 5, tests: true, why: "the floor has nothing of ours"},
	{path: "bench/tasks", level: 5, tests: true, may: map[string]string{
		"bench/tasks/task":         "it has models do tasks",
		"bench/tasks/chat":         "requests are counted",
		"bench/tasks/scripted":     "they are the models",
		"bench/tasks/recording":    "so are answers of other runs",
		"internal/model/modeltest": "it names the wires",
	}, why: "it meets the program from outside"},
	{path: "bench/tasks/task", level: 5, tests: true, why: "a task is the same for every model"},
	{path: "bench/tasks/chat", level: 5, tests: true, may: map[string]string{
		"internal/model":           "an answer reports its usage",
		"internal/model/modeltest": "it knows how models stream",
	}, why: "it knows wires, and no task"},
	{path: "bench/tasks/scripted", level: 5, tests: true, may: map[string]string{
		"bench/tasks/task":         "models carry out the plan of a task",
		"bench/tasks/chat":         "they read requests and write answers",
		"internal/model/modeltest": "each speaks one wire",
	}, why: "a model knows the program by what it is sent, and by nothing else"},
	{path: "bench/tasks/recording", level: 5, tests: true, may: map[string]string{
		"internal/model/modeltest": "a recording is of one wire",
	}, why: "a recording is bytes, and does not depend on the model"},
	{path: "schema", level: 5, why: "it is the checked-in schemas and nothing else"},
	{path: "internal/cli", level: 5, top: true, why: "commands know every part, and what commands share knows their options"},
	{path: "internal/cli/hostprogram", level: 7, top: true, why: "it is what one program links and another does not"},
	{path: "internal/cli/*", level: 6, top: true, why: "a command knows every part"},
	{path: "cmd/*", level: 8, top: true, why: "what is made for tests stays out of the program"},
}

// dialectNames may not occur below internal but in internal/dialect: a reader of the
// engine must not be able to see which protocols there are.
var dialectNames = regexp.MustCompile(`(?i)\b(scaiflux|pisces|flint|codex|loaf|agentair|agent-air|acp)\b`)

// dialectFiles is what each folder below internal/dialect has, so that a reader of
// one dialect can find anything in the others.
var dialectFiles = []string{
	"doc.go", "protocol.go", "decode.go", "serve.go", "render.go", "errors.go", "options.go", "testdata",
}

func TestLayout(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	files := moduleSource(t)
	for _, check := range []struct {
		name     string
		findings []string
	}{
		{"imports", forbiddenImports(files)},
		{"unused edges", unusedEdges(files)},
		{"programs with SQLite", databaseUsers(files)},
		{"dialect names", namedDialects(files)},
		{"no sleeps in tests", sleepers(files)},
		{"goroutines of connections that recover", unguardedGoroutines(files)},
		{"values made when they are needed", earlyValues(files)},
		{"files of dialects", missingFiles(t, os.DirFS("internal/dialect"))},
	} {
		t.Run(check.name, func(t *testing.T) {
			for _, f := range check.findings {
				t.Error(f)
			}
		})
	}
}

// A file is a parsed Go file.
type file struct {
	path string // below the module
	text []byte
	tree *ast.File
}

func (f file) folder() string { return path.Dir(f.path) }
func (f file) isTest() bool   { return strings.HasSuffix(f.path, "_test.go") }

// readModule parses the Go files of the module once for all tests.
var readModule = sync.OnceValues(func() ([]file, error) { return parseFiles(os.DirFS(".")) })

// moduleSource returns every Go file of the module.
func moduleSource(t *testing.T) []file {
	t.Helper()
	files, err := readModule()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// source returns every Go file of a file system.
func source(t *testing.T, fsys fs.FS) []file {
	t.Helper()
	files, err := parseFiles(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func parseFiles(fsys fs.FS) (files []file, err error) {
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || entry.Name() == "node_modules"):
			return fs.SkipDir
		case path.Ext(name) != ".go":
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		files = append(files, file{name, text, tree})
		return err
	})
	return files, err
}

// roomOf is the row for a folder: its own, else that of its parent's wildcard.
func roomOf(folder string) (room, bool) {
	for _, name := range []string{folder, path.Dir(folder) + "/*"} {
		if i := slices.IndexFunc(rooms, func(r room) bool { return r.path == name }); i >= 0 {
			return rooms[i], true
		}
	}
	return room{}, false
}

func forbiddenImports(files []file) (findings []string) {
	for _, f := range files {
		from, known := roomOf(f.folder())
		if !known {
			findings = append(findings, f.path+": its folder has no row in the import table")
			continue
		}
		for _, spec := range f.tree.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value) // it was parsed
			to, ours := strings.CutPrefix(imported, module)
			if imported+"/" == module {
				to, ours = ".", true
			}
			if ours && !from.allows(f, to) {
				findings = append(findings, fmt.Sprintf("%s imports %s: %s may import %s; %s", f.path, to, from.path, from.allowed(), from.why))
			}
		}
	}
	return findings
}

// databaseUsers finds imports of SQLite outside of the queue of local batches. It costs each program that links it 30 s of a build; a store
// of sessions needs none.
func databaseUsers(files []file) (findings []string) {
	for _, f := range files {
		for _, spec := range f.tree.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value) // it was parsed
			if (imported == "database/sql" || strings.HasPrefix(imported, "modernc.org/")) && f.folder() != "internal/batch/local" {
				findings = append(findings, fmt.Sprintf("%s imports %s: only internal/batch/local needs a database", f.path, imported))
			}
		}
	}
	return findings
}

// unusedEdges finds imports that the table allows and no file has.
func unusedEdges(files []file) (findings []string) {
	used := map[string]bool{} // by the room and what it imports
	for _, f := range files {
		from, _ := roomOf(f.folder())
		for _, spec := range f.tree.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value) // it was parsed
			used[from.path+" "+strings.TrimPrefix(imported, module)] = true
		}
	}
	for _, r := range rooms {
		for _, to := range slices.Sorted(maps.Keys(r.may)) {
			if !used[r.path+" "+to] {
				findings = append(findings, fmt.Sprintf("%s does not import %s: remove it from the table", r.path, to))
			}
		}
	}
	return findings
}

// TestTable holds the table of ARCHITECTURE.md to the one here; with -update it is written.
func TestTable(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	const begin, end = "| level | package | may import |\n|---|---|---|\n", "\n\n"
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	old, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("ARCHITECTURE.md has no table that begins with %q", begin)
	}
	table := importTable()
	if *update {
		if err := os.WriteFile("ARCHITECTURE.md", []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != table {
		t.Error("the table in ARCHITECTURE.md is not that of layout_test.go: go test . -run TestTable -update")
	}
}

var update = flag.Bool("update", false, "write the table in ARCHITECTURE.md")

// importTable returns the rooms as rows of Markdown: those that may import the same share a row.
func importTable() string {
	name := func(path string) string {
		if path == "." {
			return "the root (package parley)"
		}
		if path == "cmd/*" || strings.HasPrefix(path, "e2e/") || strings.HasPrefix(path, "bench/") {
			return path
		}
		return strings.TrimPrefix(path, "internal/")
	}
	var keys []string
	shared := map[string][]string{}
	for level := range 1 + slices.MaxFunc(rooms, func(a, b room) int { return a.level - b.level }).level {
		for _, r := range rooms {
			if r.level != level {
				continue
			}
			allowed := "nothing"
			switch {
			case r.top:
				allowed = "everything but what is made for tests"
			case len(r.may) > 0:
				var names []string
				for _, to := range slices.Sorted(maps.Keys(r.may)) {
					names = append(names, name(to))
				}
				allowed = strings.Join(names, ", ")
			}
			own := name(r.path)
			if r.tests {
				own += " (tests only)"
			}
			key := fmt.Sprintf("| %d | %%s | %s |", level, allowed)
			if shared[key] == nil {
				keys = append(keys, key)
			}
			shared[key] = append(shared[key], own)
		}
	}
	var rows []string
	for _, key := range keys {
		rows = append(rows, fmt.Sprintf(key, strings.Join(shared[key], ", ")))
	}
	return strings.Join(rows, "\n")
}

func (r room) allows(f file, to string) bool {
	target, known := roomOf(to)
	_, listed := r.may[to]
	switch {
	case !known:
		return false
	case to == ".":
		return listed || f.folder() == "."
	case isDialect(f.folder()) && strings.HasPrefix(to, f.folder()+"/"): // a room of its own
		return f.isTest() || !target.tests
	case f.isTest():
		return listed || to == f.folder() || target.tests || target.all || target.level < r.level
	case target.tests && !r.tests:
		return false
	}
	return listed || r.top || target.all
}

func (r room) allowed() string {
	if r.top {
		return "every room but those for tests"
	}
	if len(r.may) == 0 {
		return "nothing of ours"
	}
	return strings.Join(slices.Sorted(maps.Keys(r.may)), ", ")
}

// Agents that are started are named by the protocol that they speak, in internal/backend.

// namesDialects are the packages below the dialects whose task is to know them all.
var namesDialects = map[string]bool{"internal/dialect/dialogue": true, "internal/dialect/credentials": true, "internal/dialect/legacy": true}

// otherCodex are the files in which codex is not the protocol: a family of models, a page of the provider, a folder of a user's program.
var otherCodex = map[string]bool{
	"internal/engine/family.go": true, "internal/model/catalog/reasoning.go": true, "internal/model/profile/families.go": true, "internal/signin/device.go": true,
	"internal/tool/workspace/startup.go": true,
}

func namedDialects(files []file) (findings []string) {
	for _, f := range files {
		if f.isTest() || !strings.HasPrefix(f.path, "internal/") || isDialect(f.folder()) || isDialect(path.Dir(f.folder())) || strings.HasPrefix(f.path, "internal/backend/") || namesDialects[f.folder()] || f.path == "internal/dialect/doc.go" || strings.HasPrefix(f.path, "internal/cli/") {
			continue
		}
		for i, line := range strings.Split(string(f.text), "\n") {
			if name := dialectNames.FindString(line); name != "" && !(name == "codex" && otherCodex[f.path]) {
				findings = append(findings, fmt.Sprintf("%s:%d names the dialect %s: the rooms below the dialects serve all of them; make it an option", f.path, i+1, name))
			}
		}
	}
	return findings
}

// isDialect reports whether a folder is a dialect's, and not of what dialects share.
func isDialect(folder string) bool {
	r, _ := roomOf(folder)
	return r.path == "internal/dialect/*"
}

// sleepers finds tests, and code made for tests, that wait by the clock: time.Sleep, time.AfterFunc, and
// time.After except as a case of a select, where it limits the wait for an event. Within synctest.Test the
// clock is not a real one; benchmarks measure real time.
func sleepers(files []file) (findings []string) {
	for _, f := range files {
		if r, _ := roomOf(f.folder()); !f.isTest() && !r.tests || (r.path == "bench" || r.path == "bench/store") && !f.isTest() {
			continue
		}
		waits := map[ast.Node]bool{} // the calls of time.After that limit no other wait
		cases := map[ast.Node]bool{}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CommClause:
				cases[n.Comm] = true
			case *ast.ExprStmt:
				if wait, ok := n.X.(*ast.UnaryExpr); ok && !cases[n] {
					waits[wait.X] = true
				}
			case *ast.CallExpr:
				if isFunc(n, "synctest", "Test") {
					return false
				}
				if isFunc(n, "time", "Sleep") || isFunc(n, "time", "AfterFunc") || isFunc(n, "time", "After") && waits[n] {
					line := bytes.Count(f.text[:n.Pos()-f.tree.FileStart], []byte{'\n'}) + 1
					name := n.Fun.(*ast.SelectorExpr).Sel.Name
					findings = append(findings, fmt.Sprintf("%s:%d calls time.%s: wait for an event, or use testing/synctest", f.path, line, name))
				}
			}
			return true
		})
	}
	return findings
}

// startsGoroutines are the files of dialects that start goroutines by themselves: those that make sure that a panic ends one
// connection, and a client of a server in its own process.
var startsGoroutines = []string{
	"internal/dialect/group.go", "internal/dialect/server.go", "internal/dialect/exit.go", "internal/dialect/codex/exec_turn.go",
}

// unguardedGoroutines finds goroutines of dialects that no dialect.Group starts: a panic in one would end a host with all its
// sessions.
func unguardedGoroutines(files []file) (findings []string) {
	for _, f := range files {
		r, _ := roomOf(f.folder())
		if f.isTest() || r.tests || !strings.HasPrefix(f.path, "internal/dialect/") || strings.HasSuffix(f.folder(), "/repl") || slices.Contains(startsGoroutines, f.path) {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			selector, isSelector := n.(*ast.SelectorExpr)
			_, isGo := n.(*ast.GoStmt)
			if isSelector {
				from, ok := selector.X.(*ast.Ident)
				isGo = ok && from.Name == "sync" && selector.Sel.Name == "WaitGroup"
			}
			if isGo {
				line := bytes.Count(f.text[:n.Pos()-f.tree.FileStart], []byte{'\n'}) + 1
				findings = append(findings, fmt.Sprintf("%s:%d starts a goroutine without a dialect.Group", f.path, line))
			}
			return true
		})
	}
	return findings
}

// earlyCalls make what a program needs later, if at all.
var earlyCalls = []struct{ pkg, name string }{
	{"regexp", "MustCompile"},
	{"sync", "OnceValue"},
	{"sync", "OnceValues"},
	{"crc32", "MakeTable"},
	{"jsonrpc", "NewMethods"},
	{"rights", "NewTable"},
}

// earlyValues finds values of packages that are made at the start of a program, which each start pays for.
func earlyValues(files []file) (findings []string) {
	for _, f := range files {
		if r, _ := roomOf(f.folder()); f.isTest() || r.tests || !strings.HasPrefix(f.path, "internal/") {
			continue
		}
		for _, decl := range f.tree.Decls {
			vars, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			ast.Inspect(vars, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				for _, early := range earlyCalls {
					if ok && isFunc(call, early.pkg, early.name) {
						line := bytes.Count(f.text[:n.Pos()-f.tree.FileStart], []byte{'\n'}) + 1
						findings = append(findings, fmt.Sprintf("%s:%d calls %s.%s at the start of the program: use internal/lazy", f.path, line, early.pkg, early.name))
					}
				}
				_, isFunction := n.(*ast.FuncLit)
				return !isFunction
			})
		}
	}
	return findings
}

func isFunc(call *ast.CallExpr, pkg, name string) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	from, ok := sel.X.(*ast.Ident)
	return ok && from.Name == pkg
}

func missingFiles(t *testing.T, dialects fs.FS) (findings []string) {
	t.Helper()
	entries, err := fs.ReadDir(dialects, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !entry.IsDir() || !isDialect("internal/dialect/"+entry.Name()) {
			continue
		}
		for _, name := range dialectFiles {
			if _, err := fs.Stat(dialects, entry.Name()+"/"+name); err != nil {
				findings = append(findings, fmt.Sprintf("internal/dialect/%s has no %s: every dialect has the same files", entry.Name(), name))
			}
		}
	}
	return findings
}

// TestChecksFindViolations feeds each check a house that breaks its rule.
func TestChecksFindViolations(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	house := func(name, text string) []file {
		return source(t, fstest.MapFS{name: {Data: []byte(text)}})
	}
	imports := func(name, imported string) []string {
		return forbiddenImports(house(name, "package p\nimport _ \"parley.dev/parley/"+imported+"\"\n"))
	}
	for _, test := range []struct {
		rule  string
		found []string
		want  string // part of the one finding; "": none
	}{
		{"upward", imports("internal/engine/x.go", "internal/dialect/scaiflux"), "it knows no protocol"},
		{"upward in a test", imports("internal/engine/x_test.go", "internal/dialect/scaiflux"), "it knows no protocol"},
		{"sideways", imports("internal/dialect/loaf/x.go", "internal/dialect/flint"), "never sideways to another dialect"},
		{"sideways in a test", imports("internal/dialect/loaf/x_test.go", "internal/dialect/flint"), "never sideways to another dialect"},
		{"providers", imports("internal/model/openai/x.go", "internal/model/anthropic"), "never sideways to another provider"},
		{"a room of its own", imports("internal/dialect/pisces/x.go", "internal/dialect/pisces/message"), ""},
		{"a room of another dialect", imports("internal/dialect/flint/x.go", "internal/dialect/pisces/message"), "never sideways to another dialect"},
		{"out of a room", imports("internal/dialect/pisces/message/x.go", "internal/dialect/pisces"), "a message is the same for every client"},
		{"a room for tests of its own", imports("internal/dialect/pisces/x.go", "internal/dialect/pisces/recordtest"), "never sideways"},
		{"past the engine", imports("internal/dialect/loaf/x.go", "internal/tool"), "a dialect is translation only"},
		{"unknown room", imports("internal/util/x.go", "internal/event"), "no row"},
		{"unknown target", imports("internal/engine/x.go", "internal/util"), "internal/engine may import"},
		{"test room", imports("cmd/parley/x.go", "internal/transcript"), "made for tests"},
		{"test room in a test room", imports("internal/dialect/dialecttest/x.go", "internal/transcript"), ""},
		{"unlisted test room in a test room", imports("internal/transcript/x.go", "internal/dialect/dialecttest"), "it plays any dialect"},
		{"listed", imports("internal/engine/x.go", "internal/tool"), ""},
		{"below, in a test", imports("internal/engine/x_test.go", "internal/journal/file"), ""},
		{"test room in a test", imports("internal/dialect/loaf/x_test.go", "internal/transcript"), ""},
		{"wiring", imports("cmd/parley/x.go", "internal/sandbox"), ""},
		{"wiring for other programs", imports("x.go", "internal/sandbox"), ""},
		{"the root", forbiddenImports(house("cmd/parley/x.go", "package p\nimport _ \"parley.dev/parley\"\n")), "cmd/parley/x.go imports ."},
		{"the root in its tests", forbiddenImports(house("x_test.go", "package p\nimport _ \"parley.dev/parley\"\n")), ""},

		{"database", databaseUsers(house("internal/journal/file/x.go", "package p\nimport _ \"modernc.org/sqlite\"\n")), "only internal/batch/local"},
		{"database of batches", databaseUsers(house("internal/batch/local/x.go", "package p\nimport _ \"modernc.org/sqlite\"\n")), ""},

		{"name", namedDialects(house("internal/engine/x.go", "package p\n// for Flint only")), "x.go:2 names the dialect Flint"},
		{"name beside the dialects", namedDialects(house("internal/dialect/x.go", "package p // agent-air")), "agent-air"},
		{"name in what dialects share", namedDialects(house("internal/dialect/schema/x.go", "package p // loaf")), "loaf"},
		{"name of models", namedDialects(house("internal/engine/family.go", "package p // codex")), ""},
		{"name of models elsewhere", namedDialects(house("internal/engine/x.go", "package p // codex")), "names the dialect codex"},
		{"name in its own folder", namedDialects(house("internal/dialect/flint/x.go", "package flint")), ""},
		{"name in a room of a dialect", namedDialects(house("internal/dialect/pisces/message/x.go", "package message // pisces")), ""},
		{"part of a word", namedDialects(house("internal/engine/x.go", "package p // loafer")), ""},

		{"sleep", sleepers(house("internal/tool/x_test.go", "package p\nimport \"time\"\nfunc f() {\n\ttime.Sleep(1)\n}")), "x_test.go:4 calls time.Sleep"},
		{"a wait that is no sleep", sleepers(house("internal/tool/x_test.go", "package p\nimport \"time\"\nfunc f() {\n\t<-time.After(1)\n}")), "x_test.go:4 calls time.After"},
		{"a timer", sleepers(house("internal/tool/x_test.go", "package p\nimport \"time\"\nfunc f() {\n\ttime.AfterFunc(1, f)\n}")), "x_test.go:4 calls time.AfterFunc"},
		{"a limit", sleepers(house("internal/tool/x_test.go", "package p\nimport \"time\"\nfunc f(done chan int) {\n\tselect {\n\tcase <-done:\n\tcase <-time.After(1):\n\t}\n}")), ""},
		{"sleep by a fake clock", sleepers(house("internal/tool/x_test.go", "package p\nfunc f() { synctest.Test(t, func() { time.Sleep(1) }) }")), ""},
		{"a bare goroutine", unguardedGoroutines(house("internal/dialect/flint/x.go", "package p\nfunc f() { go f() }")), "x.go:2 starts"},
		{"a wait group", unguardedGoroutines(house("internal/dialect/flint/x.go", "package p\nimport \"sync\"\nvar w sync.WaitGroup")), "x.go:3 starts"},
		{"a goroutine of the engine", unguardedGoroutines(house("internal/engine/x.go", "package p\nfunc f() { go f() }")), ""},
		{"early expression", earlyValues(house("internal/tool/x.go", "package p\nimport \"regexp\"\nvar x = regexp.MustCompile(`a`)")), "x.go:3 calls regexp.MustCompile"},
		{"early function", earlyValues(house("internal/tool/x.go", "package p\nimport \"sync\"\nvar x = sync.OnceValue(f)")), "x.go:3 calls sync.OnceValue"},
		{"late expression", earlyValues(house("internal/tool/x.go", "package p\nvar x = lazy.Value[any]{New: func() any { return regexp.MustCompile(`a`) }}")), ""},
		{"sleep outside tests", sleepers(house("internal/tool/x.go", "package p\nimport \"time\"\nfunc f() { time.Sleep(1) }")), ""},

		{"file", missingFiles(t, fstest.MapFS{
			"loaf/doc.go": {}, "loaf/protocol.go": {}, "loaf/decode.go": {}, "loaf/serve.go": {}, "loaf/render.go": {}, "loaf/errors.go": {}, "loaf/testdata/a.txtar": {},
		}), "internal/dialect/loaf has no options.go"},
		{"no dialect", missingFiles(t, fstest.MapFS{"schema/types.go": {}}), ""},
	} {
		t.Run(test.rule, func(t *testing.T) {
			switch {
			case test.want == "" && len(test.found) > 0:
				t.Errorf("found %q, want nothing", test.found)
			case test.want != "" && (len(test.found) != 1 || !strings.Contains(test.found[0], test.want)):
				t.Errorf("found %q, want one with %q", test.found, test.want)
			}
		})
	}
}
