// Package sqlite holds the driver against SQLite (modernc.org/sqlite): the same random statements on the same
// random data, row by row, and side by side in benchmarks. It is a module of its own, so that the driver's
// own go.mod does not name SQLite.
//
// # Known differences of meaning
//
// Each is MySQL's meaning where SQLite's is another one; the generator writes the two dialects side by side, so
// that the rest can be compared.
//
//   - a / b of integers is an exact DECIMAL here, an integer in SQLite; DIV is its integer division. By 0 it is an error here where rows are written.
//   - LIKE sees case here, as the default collation does; SQLite is told to by a pragma.
//   - a <=> b is written a IS b in SQLite.
//   - UPDATE assigns from left to right here, each assignment seeing those before it; SQLite's all see the old row.
//   - An integer that overflows is an error here; SQLite goes on with a floating point number.
//   - A value of another type is converted, rounded or refused here; SQLite stores it as it is.
//   - Text compared with a number is read as a number here; in SQLite numbers are below all text.
//   - AVG of integers is an exact DECIMAL with four digits behind the point here, a float in SQLite.
//   - LOWER, CONCAT and the like of a COLLATE nocase column compare without case here, as they do in MySQL; in
//     SQLite only the column itself does.
//   - & and | give a BIGINT UNSIGNED here, from which no more than it is can be taken; SQLite knows no unsigned.
//   - FLOOR and CEILING of a DOUBLE are a DOUBLE; ROUND of a DOUBLE rounds a half to the even neighbour.
//   - Where a new row meets several rows that are there, ON DUPLICATE KEY UPDATE changes that of the primary key
//     first; SQLite takes the ON CONFLICT clauses in the order that they are written.
//   - INSERT IGNORE of NULL into a NOT NULL column stores 0 or an empty text here, as in MySQL; SQLite leaves the row out.
//   - INTERSECT binds more than UNION and EXCEPT, as in standard SQL; SQLite takes them from left to right.
//   - t.* gives t's own columns here; in SQLite those of NATURAL and USING are merged with the other side's, too.
//   - A function of NULL is NULL: so is REPLACE(x, y, NULL), which is x in SQLite where y is empty.
//   - TRUNCATE ends a transaction, as other definitions do; SQLite has DELETE only.
//   - What goes with a whole partition is not counted, and that is said.
//   - A statement that writes a table does not read it in a subquery, as in MySQL.
package sqlite
