package catalog

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// TestDefinitionsOfOneVersion: who asks for two definitions, between which another process changes both, gets both as
// they are now, and not one of before and one of now.
func TestDefinitionsOfOneVersion(t *testing.T) {
	synctest.Test(t, definitionsOfOneVersion)
}

func definitionsOfOneVersion(t *testing.T) {
	e := sharedMemory{embedded.OpenMemory(embedded.Options{})}
	defer e.Close()
	ctx := context.Background()
	a, b := Open(e, "", time.Millisecond, nil), Open(e, "", 50*time.Millisecond, nil)
	parent := defined(t, "CREATE TABLE visit (v INT PRIMARY KEY) PARTITION BY RANGE (v) (PARTITION p0 VALUES LESS THAN (10))", nil)
	if err := a.Create(ctx, parent, nil); err != nil {
		t.Fatal(err)
	}
	if err := createInterleaved(a, defined(t, "CREATE TABLE page (v INT REFERENCES visit (v), n INT, PRIMARY KEY (v, n)) INTERLEAVE IN PARENT visit", parent), parent, nil); err != nil {
		t.Fatal(err)
	}
	empty := func() {
		t.Helper()
		err := a.With(ctx, func(s *Snapshot) error {
			old, err := s.Table(ctx, "visit")
			if err != nil {
				return err
			}
			next := old.Clone()
			next.Partitions.List[0].Physical = ""
			return a.ReplacePartitions(ctx, old, next, nil)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for what, second := range map[string]func(s *Snapshot) (*schema.Table, error){
		"Table": func(s *Snapshot) (*schema.Table, error) { return s.Table(ctx, "visit") },
		"Tables": func(s *Snapshot) (*schema.Table, error) {
			if _, err := s.Tables(ctx); err != nil {
				return nil, err
			}
			return s.Table(ctx, "visit")
		},
	} {
		b.Forget()
		tries := 0
		err := b.With(ctx, func(s *Snapshot) error {
			page, err := s.Table(ctx, "page")
			if err != nil {
				return err
			}
			if tries++; tries == 1 {
				empty()
			}
			visit, err := second(s)
			if err != nil {
				return err
			}
			if page.Partitions.List[0].Physical != visit.Partitions.List[0].Physical {
				t.Errorf("%s: page lies in %s, visit in %s", what, page.Partitions.List[0].Physical, visit.Partitions.List[0].Physical)
			}
			return nil
		})
		if err != nil || tries != 2 {
			t.Errorf("%s: %d tries, %v", what, tries, err)
		}
	}

	// Where it never ends, it is a conflict.
	b.Forget()
	err := b.With(ctx, func(s *Snapshot) error {
		if _, err := s.Table(ctx, "page"); err != nil {
			return err
		}
		empty()
		_, err := s.Table(ctx, "visit")
		return err
	})
	if !errors.Is(err, ErrConflict) {
		t.Errorf("changed each time: %v", err)
	}
}
