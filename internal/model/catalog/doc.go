// Package catalog is what is known of models without asking anyone: context windows,
// limits, prices and thinking levels, from data that is built in. It makes no provider.
package catalog
