package dml

import (
	"context"
	"maps"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// wantedRow is a row that another one refers to.
type wantedRow struct {
	ref   *schema.Reference
	place string
	look  *parentRead // nil: there is no such table
}

// withReferred leaves out the rows that refer to missing rows, for INSERT IGNORE: they take no keys. A row may refer to
// an earlier one, or to itself.
func (n *insertNode) withReferred(ctx context.Context, w *Writer, rows [][]value.Value, marks []mark) ([][]value.Value, []mark, error) {
	if n.relations == nil || w.X.Session.KeysUnchecked || len(n.onDup) > 0 { // then one whose key is taken is not inserted anyway
		return rows, marks, nil
	}
	own := n.relations.find(n.plan.Table)
	var looks []*parentRead
	wanted := make([][]wantedRow, len(rows))
	for i, row := range rows {
		for _, ref := range own.needs {
			values, refers := ref.Of(row)
			if !refers {
				continue
			}
			want := wantedRow{ref: ref}
			if ref.Parent != nil {
				var err error
				if want.place, err = placeOf(ref, values); err != nil {
					return nil, nil, err
				}
				if want.look, err = w.keyReads().ofParent(ref, values, want.place); err != nil {
					return nil, nil, err
				}
				looks = append(looks, want.look)
			}
			wanted[i] = append(wanted[i], want)
		}
	}
	if err := w.keyReads().readParents(ctx, n.relations, looks); err != nil {
		return nil, nil, err
	}
	taken := map[string]bool{} // by the rows that are kept
	kept := 0
	for i, row := range rows {
		keys, err := own.keysFor(row)
		if err != nil {
			return nil, nil, err
		}
		missing := slices.IndexFunc(wanted[i], func(x wantedRow) bool {
			return x.look == nil || !x.look.found && !taken[x.place] && !keys[x.place]
		})
		if missing >= 0 {
			w.at(marks[i].number)
			skipped(w.env(), noParentError(wanted[i][missing].ref))
			continue
		}
		maps.Copy(taken, keys)
		rows[kept], marks[kept] = row, marks[i]
		kept++
	}
	return rows[:kept], marks[:kept], nil
}

// keysFor gives the places by which rows may refer to a row.
func (r *relation) keysFor(row []value.Value) (map[string]bool, error) {
	keys := map[string]bool{}
	for _, ref := range r.needed {
		if values, referred := ref.For(row); referred {
			place, err := placeOf(ref, values)
			if err != nil {
				return nil, err
			}
			keys[place] = true
		}
	}
	return keys, nil
}
