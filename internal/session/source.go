package session

import (
	"context"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
)

// source gives a statement its definitions: those of its own database, and of others that it names, which source notes.
type source struct {
	db     *Database
	in     *Schema
	own    *catalog.Snapshot // nil: the newest in its catalog
	others []*catalog.Snapshot

	temporary *temporary // of the session; nil: it has none
}

// source gives the definitions for a statement of a database; own are the definitions of that one, nil: the newest.
func (s *Session) source(in *Schema, own *catalog.Snapshot) *source {
	return &source{db: s.db, in: in, own: own, temporary: s.temporary}
}

// Temporary implements show.Source.
func (s *source) Temporary(ctx context.Context, database, name string) (*catalog.Snapshot, error) {
	return s.temporary.find(ctx, database, name)
}

// Snapshot implements show.Source.
func (s *source) Snapshot(ctx context.Context, database string) (*catalog.Snapshot, error) {
	if strings.EqualFold(database, s.in.Name) {
		if s.own != nil {
			return s.own, nil
		}
		return s.in.Catalog.Snapshot(ctx)
	}
	of, now, err := s.db.existing(ctx, database)
	if err != nil {
		return nil, err
	}
	if s.own != nil && of.Catalog == s.in.Catalog {
		return s.own, nil
	}
	for _, known := range s.others {
		if known.Catalog() == of.Catalog {
			return known, nil
		}
	}
	s.others = append(s.others, now)
	return now, nil
}

// Name implements show.Source.
func (s *source) Name(of *catalog.Snapshot) string {
	if of.Catalog() == s.db.Catalog {
		return s.db.home().Name
	}
	return of.Name()
}

// Databases implements show.Source.
func (s *source) Databases(ctx context.Context, pass func(name string) (bool, error)) ([]show.Database, error) {
	return s.db.list(ctx, pass)
}

// Now implements show.Source.
func (s *source) Now() show.Source { return &source{db: s.db, in: s.in} }

// Forget implements show.Source.
func (s *source) Forget() {
	for _, other := range s.others {
		other.Forget()
	}
	if s.others = nil; s.own == nil {
		s.in.Catalog.Forget()
	}
}

// newer says whether other processes have changed definitions since they were read.
func (s *source) newer(ctx context.Context) (bool, error) {
	var moved bool
	for _, of := range append([]*catalog.Snapshot{s.own}, s.others...) {
		next, err := of.Catalog().Newer(ctx, of)
		if err != nil {
			return false, err
		}
		moved = moved || next != nil
	}
	return moved, nil
}

// seen is what a statement in a database sees of the store.
func (s *Session) seen(from *source) show.Seen {
	return show.Seen{Source: from, Database: from.in.Name, Standard: s.db.Collation, Live: s.db.live()}
}

// epochs are the epochs that a statement holds, one per database that it uses. Changes of definitions there wait until the statement is over.
type epochs struct {
	own    *catalog.Epoch
	others []epochOf
}

type epochOf struct {
	of    *catalog.Catalog
	epoch *catalog.Epoch
}

// End says that the statement is over.
func (e *epochs) End() {
	e.own.End()
	for _, other := range e.others {
		other.epoch.End()
	}
	e.own, e.others = nil, nil
}

// join begins the epochs of the other databases that a plan uses. It says whether it began one: definitions may have changed before.
func (e *epochs) join(planned *plannedAt, begin func(*catalog.Catalog) *catalog.Epoch) (joined bool) {
	for _, other := range planned.others {
		c := other.Catalog()
		if !slices.ContainsFunc(e.others, func(known epochOf) bool { return known.of == c }) {
			e.others, joined = append(e.others, epochOf{c, begin(c)}), true
		}
	}
	return joined
}
