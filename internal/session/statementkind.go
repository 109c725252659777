package session

import (
	"github.com/nearlyfreedb/nearlyfree/dialect"
)

// kind is the kind of statement that SHOW STATUS counts.
type kind uint8

const (
	kindOther kind = iota
	kindSelect
	kindInsert
	kindReplace
	kindUpdate
	kindDelete
	kindBegin
	kindCommit
	kindRollback
	kindSet
	kindShow
	kindExplain
	kindCreateTable
	kindAlterTable
	kindDropTable
	kindCreateIndex
	kindDropIndex
	kindTruncate
	kindAnalyze
	kindKill
	kinds
)

// comNames are MySQL's names of the counters. Com_show is all of its Com_show_….
var comNames = [kinds]string{
	kindSelect: "Com_select", kindInsert: "Com_insert", kindReplace: "Com_replace", kindUpdate: "Com_update", kindDelete: "Com_delete",
	kindBegin: "Com_begin", kindCommit: "Com_commit", kindRollback: "Com_rollback", kindSet: "Com_set_option", kindShow: "Com_show",
	kindExplain: "Com_explain_other", kindCreateTable: "Com_create_table", kindAlterTable: "Com_alter_table", kindDropTable: "Com_drop_table",
	kindCreateIndex: "Com_create_index", kindDropIndex: "Com_drop_index", kindTruncate: "Com_truncate", kindAnalyze: "Com_analyze", kindKill: "Com_kill",
}

// verbs are the words that a statement of a kind begins with.
var verbs = [kinds]string{
	kindSelect: "SELECT", kindInsert: "INSERT", kindReplace: "REPLACE", kindUpdate: "UPDATE", kindDelete: "DELETE",
	kindBegin: "BEGIN", kindCommit: "COMMIT", kindRollback: "ROLLBACK", kindSet: "SET", kindShow: "SHOW",
	kindExplain: "EXPLAIN", kindCreateTable: "CREATE TABLE", kindAlterTable: "ALTER TABLE", kindDropTable: "DROP TABLE",
	kindCreateIndex: "CREATE INDEX", kindDropIndex: "DROP INDEX", kindTruncate: "TRUNCATE", kindAnalyze: "ANALYZE",
}

// Call is a request of database/sql without a text.
type Call struct {
	text string
	kind kind
}

// The calls.
var (
	CallBegin    = &Call{"BEGIN", kindBegin}
	CallCommit   = &Call{"COMMIT", kindCommit}
	CallRollback = &Call{"ROLLBACK", kindRollback}
)

func kindOf(s dialect.Statement) kind {
	switch s := s.(type) {
	case *dialect.Select, *dialect.Union, *dialect.Values, *dialect.SelectInto:
		return kindSelect
	case *dialect.Insert:
		if s.Replace {
			return kindReplace
		}
		return kindInsert
	case *dialect.Update:
		return kindUpdate
	case *dialect.Delete:
		return kindDelete
	case *dialect.Transaction:
		switch s.Kind {
		case dialect.Begin:
			return kindBegin
		case dialect.Commit:
			return kindCommit
		case dialect.Rollback:
			return kindRollback
		}
	case *dialect.Set:
		return kindSet
	case *dialect.Show:
		return kindShow
	case *dialect.Explain:
		return kindExplain
	case *dialect.CreateTable:
		return kindCreateTable
	case *dialect.AlterTable:
		return kindAlterTable
	case *dialect.DropTable:
		return kindDropTable
	case *dialect.CreateIndex:
		return kindCreateIndex
	case *dialect.DropIndex:
		return kindDropIndex
	case *dialect.Truncate:
		return kindTruncate
	case *dialect.Kill:
		return kindKill
	case *dialect.MaintainTable:
		if s.Verb == "ANALYZE" {
			return kindAnalyze
		}
	}
	return kindOther
}
