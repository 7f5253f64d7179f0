package provider

import (
	"strings"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/cassette"
	"parley.dev/parley/internal/model/catalog"
)

// Record has the answers of models recorded from now on; nil: they are not.
func (r *Registry) Record(to *cassette.Recorder) { r.recorder = to }

// recording returns the path of the recording that a model is played from: the one that its name has, or that of the default model, which
// then has the place of all models.
func (r *Registry) recording(name string) (path string, ok bool) {
	if path, ok = strings.CutPrefix(name, cassette.Name+"/"); ok {
		return path, true
	}
	return strings.CutPrefix(r.settings.Model, cassette.Name+"/")
}

// replay returns the player of a recording, of which the process has one, with what is known of the model that was recorded.
func (r *Registry) replay(name, path string) (engine.Model, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tapes[path] == nil {
		player, err := cassette.Open(path)
		if err != nil {
			return engine.Model{Info: model.Info{Provider: cassette.Name, ID: path}}, &model.Error{Kind: model.NotConfigured, Provider: cassette.Name, Message: err.Error()}
		}
		r.tapes[path] = player
	}
	player := r.tapes[path]
	if strings.HasPrefix(name, cassette.Name+"/") {
		name = player.Model()
	}
	vendor, id, found := strings.Cut(name, "/")
	if !found {
		vendor, id = "", name
	}
	info := catalog.Lookup(vendor, id)
	info.ID, info.Provider, info.Known = id, vendor, true
	return engine.Model{Provider: player, Info: info}, nil
}
