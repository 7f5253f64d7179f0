package tool

// All returns every tool, in the order in which a model should see them.
func All() []Tool {
	return []Tool{
		Read(), Write(), Edit(), Patch(), Glob(), Grep(), List(), Shell(),
		BackgroundStart(), BackgroundRead(), BackgroundWrite(), BackgroundStop(), BackgroundList(), BackgroundAll(),
		Fetch(), Search(), Skill(), Ask(), Permissions(), Plan(), Todo(), LeavePlan(),
	}
}

// ByName returns the tool with that name of ours.
func ByName(name string) (Tool, bool) {
	for _, tool := range All() {
		if tool.Name() == name {
			return tool, true
		}
	}
	return nil, false
}
