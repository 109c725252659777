package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// heat is what the statements of a log did with a store partition.
type heat struct {
	nearlyfree.PartitionUse
	statements int64
	seconds    map[int64]int64 // entities by second; none if the log has no times
}

func (h *heat) entities() int64 { return h.Read + h.Written }

// busiest is the second with the most entities.
func (h *heat) busiest() (entities int64) {
	for _, n := range h.seconds {
		entities = max(entities, n)
	}
	return entities
}

// hottest lists the store partitions that the statements of a log read and write most, if the application logs them.
func hottest(log string, sizes []nearlyfree.TableSize, most int, notes io.Writer) error {
	file, err := os.Open(log)
	if err != nil {
		return err
	}
	defer file.Close()
	all := map[[2]string]*heat{}
	err = eachLine(file, func(line []byte) {
		var l logged
		if json.Unmarshal(line, &l) != nil {
			return
		}
		for _, p := range l.Partitions {
			key := [2]string{strings.ToLower(p.Physical), p.PartitionKey}
			h := all[key]
			if h == nil {
				h = &heat{PartitionUse: nearlyfree.PartitionUse{Physical: p.Physical, PartitionKey: p.PartitionKey}, seconds: map[int64]int64{}}
				all[key] = h
			}
			h.statements++
			h.Read, h.Written = h.Read+p.Read, h.Written+p.Written
			if !l.Time.IsZero() {
				h.seconds[l.Time.Unix()] += p.Read + p.Written
			}
		}
	})
	if err != nil && err != io.EOF {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintf(notes, "%s does not say which store partitions are the hottest: set Config.Partitions in the application\n", log)
		return nil
	}
	list := slices.SortedFunc(maps.Values(all), func(a, b *heat) int {
		return cmp.Or(cmp.Compare(b.entities(), a.entities()), cmp.Compare(a.Physical, b.Physical), cmp.Compare(a.PartitionKey, b.PartitionKey))
	})
	names := namesOf(sizes)
	fmt.Fprintf(notes, "the hottest of %s in %s:\n", plural(int64(len(list)), "store partition"), log)
	for _, h := range list[:min(len(list), max(most, 1))] {
		name := cmp.Or(strings.Join(names[strings.ToLower(h.Physical)], ", "), h.Physical)
		fmt.Fprintf(notes, "  %s, %s: %d entities read, %d written by %s", name, h.PartitionKey, h.Read, h.Written, plural(h.statements, "statement"))
		if n := h.busiest(); n > 0 {
			fmt.Fprintf(notes, "; in one second up to %d", n)
		}
		fmt.Fprintln(notes)
	}
	return nil
}

// namesOf gives the tables, or the partition of one, that lie in a physical table, by its name in small letters.
func namesOf(sizes []nearlyfree.TableSize) map[string][]string {
	names := map[string][]string{}
	for _, s := range sizes {
		for _, p := range s.Largest {
			key, name := strings.ToLower(p.Physical), s.Table
			if p.Partition != "" {
				name += " " + p.Partition
			}
			if !slices.Contains(names[key], name) {
				names[key] = append(names[key], name)
			}
		}
	}
	return names
}

// loggedTime is the time of a line of a slog.JSONHandler; zero if it has none.
type loggedTime struct{ time.Time }

// UnmarshalJSON reads an invalid time as none.
func (t *loggedTime) UnmarshalJSON(text []byte) error {
	var at time.Time
	if at.UnmarshalJSON(text) == nil {
		t.Time = at
	}
	return nil
}
