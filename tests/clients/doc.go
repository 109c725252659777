// Package clients runs programs that other people wrote for MySQL on this driver, as they are: each gets a *sql.DB that
// nearlyfree opened, and what it wrote is read back. It is a module of its own, so that the driver's go.mod names none of them.
package clients
