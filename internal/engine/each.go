package engine

import (
	"context"
	"errors"
	"io"
)

// Each calls do for every entity of a scan, in order, until do returns an error. The entity is valid until do returns.
func Each(ctx context.Context, e Reader, s Scan, do func(*Entity) error) error {
	cursor := e.Scan(ctx, s)
	defer cursor.Close()
	for {
		chunk, err := cursor.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range chunk {
			if err := do(&chunk[i]); err != nil {
				return err
			}
		}
	}
}
