package tests

import (
	"bytes"
	"database/sql"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestModifyBesideFilling gives a column another form while another process fills an index: which is complete then, and no
// proof that every row has the new form.
func TestModifyBesideFilling(t *testing.T) {
	t.Parallel()
	config := overService(0, false)
	config.SchemaLease = 50 * time.Millisecond
	a, b, transport := openBeside(t, config)
	exec(t, a, "CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL, w INT)")
	exec(t, a, "INSERT INTO t VALUES (1, 1, 1), (2, 2, 2)")
	published := batches(transport, 2)
	holdRows(config.Transport.(*azuretest.Transport), published)
	made := make(chan error)
	go func() {
		_, err := a.Exec("CREATE INDEX w ON t (w)")
		made <- err
	}()
	awaitFilling(t, b, "w")
	time.Sleep(config.SchemaLease / 2) // so that the index is filled by the definition that is announced, not the one behind it
	changed := make(chan error)
	go func() {
		_, err := b.Exec("ALTER TABLE t MODIFY COLUMN v VARCHAR(10) NOT NULL")
		changed <- err
	}()
	t.Log(<-made) // one may refuse the other
	for range 50 {
		if n := count(t, a, "SELECT COUNT(*) FROM t WHERE v = id"); n != 2 {
			t.Fatalf("%d rows of 2 have their values", n)
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Log(<-changed)
	if n := count(t, b, "SELECT COUNT(*) FROM t WHERE v = id"); n != 2 {
		t.Errorf("%d rows of 2 have their values in the end", n)
	}
}

// TestDropBesideFilling drops an index that another process is filling: that one does not make it public, when rows may
// have been written without entries.
func TestDropBesideFilling(t *testing.T) {
	t.Parallel()
	config := overService(0, false)
	config.SchemaLease = 50 * time.Millisecond
	a, b, transport := openBeside(t, config)
	exec(t, a, "CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	exec(t, a, "INSERT INTO t VALUES (1, 1)")
	dropping := batches(transport, 1)
	holdRows(config.Transport.(*azuretest.Transport), dropping)
	made := make(chan error)
	go func() {
		_, err := a.Exec("ALTER TABLE t ADD INDEX (v)") // one with a name would be made again
		made <- err
	}()
	awaitFilling(t, b, "v")
	exec(t, b, "DROP INDEX v ON t")
	if err := <-made; !errors.Is(err, nearlyfree.ErrConflict) {
		t.Errorf("ADD INDEX beside DROP INDEX: %v", err)
	}
	if n := count(t, a, "SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = DATABASE() AND index_name = 'v'"); n != 0 {
		t.Error("the index is there")
	}
}

// TestModifyBesideAnnouncement changes a column while another process announces a change, and dies: what takes that one
// back takes nothing else back.
func TestModifyBesideAnnouncement(t *testing.T) {
	t.Parallel()
	config := overService(0, false)
	config.SchemaLease = 50 * time.Millisecond
	a, b, transport := openBeside(t, config)
	exec(t, a, "CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY v (v))")
	exec(t, a, "INSERT INTO t VALUES (1, 1), (2, 2)")
	begun := batches(config.Transport.(*azuretest.Transport), 1)
	const modify = "ALTER TABLE t MODIFY COLUMN v VARCHAR(10)"
	changed := make(chan error)
	go func() {
		_, err := a.Exec(modify)
		changed <- err
	}()
	<-begun // its index is being retired
	halfway(t, b, transport, "ALTER TABLE t ADD COLUMN x INT", 1)
	t.Log(<-changed)
	exec(t, b, "CREATE INDEX w ON t (id, v)") // takes the announcement back
	if n := count(t, b, "SELECT COUNT(*) FROM t WHERE v = id"); n != 2 {
		t.Errorf("%d rows of 2 have their values", n)
	}
	exec(t, a, modify)
	if n := count(t, b, "SELECT COUNT(*) FROM t WHERE v = id"); n != 2 {
		t.Errorf("%d rows of 2 have their values in the end", n)
	}
}

// openBeside opens a store by config, and beside it as another process does, with a transport of its own.
func openBeside(t *testing.T, config *nearlyfree.Config) (a, b *sql.DB, ofB *azuretest.Transport) {
	t.Helper()
	other := *config
	ofB = &azuretest.Transport{Service: config.Transport.(*azuretest.Transport).Service}
	other.Transport = ofB
	return nearlyfreetest.OpenConfig(t, config), nearlyfreetest.OpenConfig(t, &other), ofB
}

// batches gives a channel that is closed when n more batches that went through transport have been answered.
func batches(transport *azuretest.Transport, n int32) <-chan struct{} {
	var answered atomic.Int32
	all := make(chan struct{})
	transport.SetAfter(func(r *http.Request, _ int) {
		if strings.HasSuffix(r.URL.Path, "$batch") && answered.Add(1) == n {
			close(all)
		}
	})
	return all
}

// holdRows keeps transactions of the table t from the service until a channel is closed.
func holdRows(transport *azuretest.Transport, until <-chan struct{}) {
	transport.SetFault(func(_ int, r *http.Request) azuretest.Fault {
		if strings.HasSuffix(r.URL.Path, "$batch") {
			if body, _ := bodyOf(r); bytes.Contains(body, []byte("/Z8t(")) {
				<-until
			}
		}
		return azuretest.Fault{}
	})
}

// awaitFilling returns when the index of a name is being filled, or is about to be.
func awaitFilling(t *testing.T, db *sql.DB, index string) {
	t.Helper()
	for count(t, db, "SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = DATABASE() AND index_name = '"+index+"' AND comment LIKE '%being filled%'") == 0 {
		time.Sleep(time.Millisecond)
	}
}
