package mariadb

import "testing"

// invisibleScript runs on both sides, whose words for INVISIBLE columns are the same.
const invisibleScript = `
CREATE TABLE veiled (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b VARCHAR(10) DEFAULT 'none' INVISIBLE, c INT INVISIBLE, d INT AS (a + 1) STORED INVISIBLE, KEY b (b))
INSERT INTO veiled VALUES (1, 10), (2, 20)
INSERT INTO veiled VALUES (1, 10, 'x')
INSERT INTO veiled (a, b, c) VALUES (30, 'x', 5)
INSERT INTO veiled SET a = 40, c = 6
INSERT INTO veiled SELECT id + 10, c FROM veiled
REPLACE INTO veiled VALUES (2, 22)
UPDATE veiled SET c = a WHERE b = 'none' AND id < 10
INSERT INTO veiled VALUES (1, 11) ON DUPLICATE KEY UPDATE c = VALUES(a), b = CONCAT(b, '!')
?SELECT * FROM veiled ORDER BY id
?SELECT id, a, b, c, d FROM veiled ORDER BY id
?SELECT veiled.*, c FROM veiled ORDER BY c, id
?SELECT * FROM veiled WHERE b = 'none' ORDER BY id
?SELECT * FROM (SELECT * FROM veiled) x WHERE b = 'none'
?SELECT * FROM (SELECT b, MAX(c) AS m FROM veiled GROUP BY b) x ORDER BY b
?SELECT * FROM veiled x NATURAL JOIN (SELECT 1 AS id, 'other' AS b) y
?SELECT x.id FROM veiled x JOIN veiled y ON y.c = x.a ORDER BY 1
?SELECT COUNT(*) FROM veiled WHERE (id, a) IN (SELECT * FROM veiled)
CREATE TABLE alike LIKE veiled
INSERT INTO alike SELECT * FROM veiled
?SELECT *, b FROM alike ORDER BY id
CREATE TABLE picked AS SELECT id, b, c FROM veiled
?SELECT * FROM picked ORDER BY id
CREATE VIEW v AS SELECT * FROM veiled
CREATE VIEW w AS SELECT id, b AS c FROM veiled
?SELECT * FROM v ORDER BY id
?SELECT * FROM w ORDER BY id
?SELECT b FROM v
ALTER TABLE veiled MODIFY b VARCHAR(20), ADD COLUMN e INT NOT NULL DEFAULT 7 INVISIBLE
?SELECT * FROM veiled ORDER BY id
?SELECT e FROM veiled WHERE id = 1
DELETE FROM veiled WHERE c = 10
?SELECT * FROM v ORDER BY id
CREATE TABLE none (id INT PRIMARY KEY INVISIBLE)
DROP VIEW v, w
DROP TABLE veiled, alike, picked
`

// TestInvisible: INVISIBLE columns are here what they are in MariaDB.
func TestInvisible(t *testing.T) {
	needServer(t)
	ours, theirs := openOurs(t, "ours", "mem://"), openTheirs(t)
	for line := range bothAnswer(invisibleScript, ours, theirs) {
		if line.text == "CREATE TABLE none (id INT PRIMARY KEY INVISIBLE)" { // MariaDB: 1113
			if line.got.number != 4028 || line.want.err == nil {
				t.Errorf("%s: %s, %s", line.text, line.got, line.want)
			}
			continue
		}
		line.compare(t)
	}
}
