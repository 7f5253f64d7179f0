package stream

import (
	"slices"
	"strings"
)

// A Role is what a kind of users of a namespace may do, as permissions of the server.
type Role struct {
	Name, About        string
	Publish, Subscribe []string
}

// inboxOf returns the prefix of the subjects to which answers are sent.
func inboxOf(role string) string { return "_INBOX." + role }

// Roles returns the roles of a namespace. Permissions do not separate namespaces from each other, since names of
// streams cannot have wildcards in part: accounts do.
func Roles(name string, shards int) []Role {
	kv := "$KV." + name
	host := Role{
		Name: RoleHost, About: "runs sessions and tasks: reads and writes everything",
		Publish: []string{
			name + ".>", kv + "_index.>", kv + "_hosts.>", kv + "_config.>", "$JS.API.>", "$JS.ACK.>", inboxOf(RoleHost) + ".>",
		},
		Subscribe: []string{name + ".>", "_INBOX.>"},
	}
	submitter := Role{
		Name: RoleSubmitter, About: "submits batches and reads their results; no session",
		Publish:   []string{name + ".bt.>", name + ".bb.>", name + ".t.>"},
		Subscribe: []string{name + ".bt.>", inboxOf(RoleSubmitter) + ".>"},
	}
	for _, stream := range []string{"KV_" + name + "_config", name + "_tasks", name + "_batch"} {
		submitter.Publish = append(submitter.Publish, reads(stream)...)
	}
	submitter.Publish = append(submitter.Publish, api("CONSUMER.CREATE", name+"_tasks")+".*."+name+".t.>") // of the queue of a batch
	viewer := Role{
		Name: RoleViewer, About: "reads sessions, batches and hosts",
		Publish:   []string{"$JS.API.INFO"}, // the account's size; an account that imports it uses JetStream of another one
		Subscribe: []string{name + ".j.>", name + ".bt.>", inboxOf(RoleViewer) + ".>", inboxOf(RoleSubmitter) + ".>"},
	}
	for _, config := range streams(name, InitOptions{Shards: shards}) {
		viewer.Publish = append(viewer.Publish, reads(config.Name)...)
	}
	return []Role{host, submitter, viewer}
}

// reads returns the subjects of the requests that read messages of a stream, one at a time. A consumer reads faster, but
// the server delivers to whatever subject a consumer names: also to that of a session, where it would be stored.
func reads(stream string) []string {
	return []string{api("STREAM.INFO", stream), api("STREAM.MSG.GET", stream)}
}

// api returns the subject of a request to JetStream about a stream.
func api(request, stream string) string { return "$JS.API." + request + "." + stream }

// permits reports whether the role has a right.
func (r Role) permits(subscribe bool, subject string) bool {
	list := r.Publish
	if subscribe {
		list = r.Subscribe
	}
	return slices.ContainsFunc(list, func(pattern string) bool { return covers(pattern, subject) })
}

// covers reports whether a pattern of subjects includes a subject, which may have wildcards itself.
func covers(pattern, subject string) bool {
	tokens := strings.Split(subject, ".")
	parts := strings.Split(pattern, ".")
	for i, part := range parts {
		switch {
		case part == ">":
			return len(tokens) > i
		case i >= len(tokens) || tokens[i] == ">" || part != "*" && part != tokens[i]:
			return false
		}
	}
	return len(parts) == len(tokens)
}
