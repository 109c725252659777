package nearlyfree

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
)

// Driver is the driver that sql.Open("nearlyfree", dsn) uses. See ParseDSN for what a dsn may say.
type Driver struct{}

func init() { sql.Register("nearlyfree", Driver{}) }

// Open opens one connection. database/sql does not call it; it uses OpenConnector.
func (d Driver) Open(dsn string) (driver.Conn, error) {
	c, err := d.OpenConnector(dsn)
	if err != nil {
		return nil, err
	}
	return c.Connect(context.Background())
}

// OpenConnector reads the data source name; nothing is opened before the first connection.
func (Driver) OpenConnector(dsn string) (driver.Connector, error) {
	c, err := ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	return NewConnector(c)
}

// The implemented interfaces of database/sql/driver: all but those that others have replaced, and RowsNextResultSet, because a query is one
// statement.
var (
	_ driver.Driver                         = Driver{}
	_ driver.DriverContext                  = Driver{}
	_ driver.Connector                      = (*Connector)(nil)
	_ io.Closer                             = (*Connector)(nil)
	_ driver.Conn                           = (*conn)(nil)
	_ driver.Pinger                         = (*conn)(nil)
	_ driver.SessionResetter                = (*conn)(nil)
	_ driver.Validator                      = (*conn)(nil)
	_ driver.QueryerContext                 = (*conn)(nil)
	_ driver.ExecerContext                  = (*conn)(nil)
	_ driver.ConnPrepareContext             = (*conn)(nil)
	_ driver.ConnBeginTx                    = (*conn)(nil)
	_ driver.NamedValueChecker              = (*conn)(nil)
	_ driver.Stmt                           = (*stmt)(nil)
	_ driver.StmtQueryContext               = (*stmt)(nil)
	_ driver.StmtExecContext                = (*stmt)(nil)
	_ driver.NamedValueChecker              = (*stmt)(nil)
	_ driver.Tx                             = (*tx)(nil)
	_ driver.Result                         = result{}
	_ driver.Rows                           = (*rows)(nil)
	_ driver.RowsColumnTypeScanType         = (*rows)(nil)
	_ driver.RowsColumnTypeDatabaseTypeName = (*rows)(nil)
	_ driver.RowsColumnTypeNullable         = (*rows)(nil)
	_ driver.RowsColumnTypeLength           = (*rows)(nil)
	_ driver.RowsColumnTypePrecisionScale   = (*rows)(nil)
)
