module github.com/dhui/dktest

go 1.25.0

require github.com/go-sql-driver/mysql v1.10.1
