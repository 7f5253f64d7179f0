// Package git runs the git program for Parley itself, such as to find out what a command has changed. The folders that it works in belong
// to projects, which can have git run programs in many ways: hooks, filters, fsmonitor, submodules with settings of their own. All that
// can be switched off is, and git is confined: it may change the folders that a [Command] names, and has no network.
//
// Where the machine cannot confine commands, git runs with the user's rights, and only the settings remain.
package git
