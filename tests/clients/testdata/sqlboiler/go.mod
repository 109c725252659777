module planes

go 1.25.0

require (
	github.com/aarondl/null/v8 v8.1.3
	github.com/aarondl/sqlboiler/v4 v4.19.5
	github.com/aarondl/strmangle v0.0.9
	github.com/friendsofgo/errors v0.9.2
	github.com/go-sql-driver/mysql v1.10.1
)
