package main

import (
	"strings"
	"testing"
)

// TestLoadSkip: --skip lists what it leaves out of a dump of MySQL 8, zero dates become NULL, and no UNIQUE key is left out.
func TestLoadSkip(t *testing.T) {
	t.Parallel()
	db, err := open(t.Context(), "mem://")
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	const dump = "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO';\nCREATE TABLE `wp_posts` (`id` bigint unsigned NOT NULL AUTO_INCREMENT, `post_date` datetime NOT NULL DEFAULT '0000-00-00 00:00:00', `title` text, PRIMARY KEY (`id`),\n" +
		"KEY `title` ((lower(`title`))), FULLTEXT KEY `words` (`title`)) ENGINE=InnoDB;\nINSERT INTO `wp_posts` VALUES (1,'0000-00-00 00:00:00','a'),(2,'2024-01-01 00:00:00','B');\n"
	if _, err := loaded(t, db, loadOptions{}, fileOf(t, "wp.sql", dump)); err == nil || !strings.Contains(err.Error(), "there are no zero dates here: use NULL") || !strings.Contains(err.Error(), "--skip leaves such things out") {
		t.Error(err)
	}
	said, err := loaded(t, db, loadOptions{skip: true}, fileOf(t, "wp.sql", dump))
	const want = "left out:\n  NOT NULL DEFAULT '0000-00-00 00:00:00' of column 'post_date' of `wp_posts`\n  KEY title (lower(`title`)) of `wp_posts`\n  FULLTEXT KEY words of `wp_posts`\n"
	if err != nil || !strings.Contains(said, want) {
		t.Errorf("%v, %s\nwant %s", err, said, want)
	}
	if got := db.answer(t, "SELECT id, IFNULL(post_date, 'none'), title FROM wp_posts ORDER BY id"); got != "1,none,a\n2,2024-01-01 00:00:00,B" {
		t.Error(got)
	}
	_, err = loaded(t, db, loadOptions{skip: true}, fileOf(t, "u.sql", "CREATE TABLE u (id INT PRIMARY KEY, e TEXT, UNIQUE KEY lower_e ((lower(e))));"))
	if err == nil || !strings.Contains(err.Error(), "the UNIQUE key 'lower_e' over the expression (lower(e)) is not supported: add a generated column") {
		t.Error(err)
	}
}
