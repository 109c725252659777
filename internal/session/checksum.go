package session

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// checksum is CHECKSUM TABLE: a number per table that changes when its rows do, regardless of the order in which they are read; NULL
// if there is no such table. It is not MySQL's number, which depends on how MySQL stores rows.
func (s *Session) checksum(ctx context.Context, p *Prepared, stmt *dialect.Checksum) (Outcome, error) {
	columns := []planner.ResultColumn{
		{Name: "Table", Type: value.Type{Base: value.TypeText}},
		{Name: "Checksum", Type: value.Type{Base: value.TypeBigInt}, Nullable: true},
	}
	var rows [][]value.Value
	for _, table := range stmt.Tables {
		sum := value.NullValue // none is kept
		if !stmt.Quick {
			var err error
			if sum, err = s.checksumOf(ctx, p, stmt.Rows(table)); err != nil {
				return Outcome{}, err
			}
		}
		rows = append(rows, []value.Value{value.FromString(s.databaseOf(&table) + "." + table.Name), sum})
	}
	return Outcome{Rows: listed(newHeader(columns), rows)}, nil
}

func (s *Session) checksumOf(ctx context.Context, p *Prepared, query *dialect.Select) (value.Value, error) {
	out, err := s.runInner(ctx, p, query, nil, false)
	var known *sqlerr.Error
	if errors.As(err, &known) && known.Code == sqlerr.CodeNoSuchTable {
		s.state.Diagnostics.Note(expr.Failure, known.Code, "%s", known.Message)
		return value.NullValue, nil
	}
	if err != nil {
		return value.NullValue, err
	}
	defer out.Close()
	var sum uint32
	var text []byte
	for {
		row, err := out.Next()
		if errors.Is(err, io.EOF) {
			return value.FromInt(int64(sum)), nil
		}
		if err != nil {
			return value.NullValue, err
		}
		text = text[:0]
		for _, v := range row {
			if v.IsNull() {
				text = append(text, 0)
				continue
			}
			column := value.Text(v)
			text = binary.AppendUvarint(append(text, 1), uint64(len(column)))
			text = append(text, column...)
		}
		sum += crc32.ChecksumIEEE(text)
	}
}
