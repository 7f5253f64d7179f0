// Package catalog is what is known of models: windows, limits, prices, thinking levels.
//
// The data is snapshot.tsv, made from charm.land/catwalk by "make catalog"; LICENSE is that of
// the data. Its lines are
//
//   - provider  id                     the provider's default model
//     provider  id  plain id  mark  JSON  a model.Info; mark m: by the maker of the model
//
// with tabs between, the models sorted by provider and id. A look-up searches the text, so
// that a process that needs one model does not read two thousand.
package catalog
