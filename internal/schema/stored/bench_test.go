package stored_test

import (
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/schema/stored"
)

const customer = `CREATE TABLE customer (id BIGINT AUTO_INCREMENT PRIMARY KEY, tenant VARCHAR(20) NOT NULL, surname VARCHAR(50) NOT NULL,
	name VARCHAR(50), email VARCHAR(100) UNIQUE, phone VARCHAR(30), street VARCHAR(100), zip CHAR(10), city VARCHAR(50),
	country CHAR(2) DEFAULT 'DE', born DATE, balance DECIMAL(12,2) NOT NULL DEFAULT 0, active BOOL NOT NULL DEFAULT TRUE,
	kind ENUM('person','company'), notes TEXT, data JSON, picture BLOB, created DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
	changed DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), score DOUBLE,
	KEY (surname, name), KEY (city), KEY (created))`

// BenchmarkDecode reads the definition of a table of 20 columns and 4 indexes, and tells how long it is.
func BenchmarkDecode(b *testing.B) {
	text, err := stored.Encode(definition(customer, nil, nil))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := stored.Decode(text); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(text)), "octets")
}
