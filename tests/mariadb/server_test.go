package mariadb

import (
	"database/sql"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// sqlMode is what MySQL 8 has by default. The last word makes MariaDB round times as MySQL does; it cuts them by default.
const sqlMode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,TIME_ROUND_FRACTIONAL"

// serverDSN names the MariaDB that all tests use; "" where there is none.
var serverDSN string

func TestMain(m *testing.M) {
	os.Exit(withServer(m.Run))
}

// withServer runs f while a MariaDB runs: the one that NEARLYFREE_MARIADB names, or one of its own.
func withServer(f func() int) int {
	if serverDSN = os.Getenv("NEARLYFREE_MARIADB"); serverDSN != "" {
		return f()
	}
	if _, err := exec.LookPath("mariadbd"); err != nil {
		return f()
	}
	stop, err := startServer()
	defer stop()
	if err != nil {
		log.Printf("mariadbd does not start: %v", err)
		return 1
	}
	return f()
}

// startServer starts a MariaDB on a socket in a temporary folder. What it keeps is thrown away, so nothing is flushed.
func startServer() (stop func(), err error) {
	folder, err := os.MkdirTemp(memoryFolder(), "nearlyfree-mariadb-")
	stop = func() { os.RemoveAll(folder) }
	if err != nil {
		return stop, err
	}
	data, socket, out := filepath.Join(folder, "data"), filepath.Join(folder, "s"), filepath.Join(folder, "log")
	install := exec.Command("mariadb-install-db", "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db")
	if text, err := install.CombinedOutput(); err != nil {
		return stop, fmt.Errorf("mariadb-install-db: %w\n%s", err, text)
	}
	server := exec.Command("mariadbd", "--no-defaults", "--user=root", "--datadir="+data, "--socket="+socket, "--skip-networking",
		"--skip-grant-tables", "--sql-mode="+sqlMode, "--character-set-server=utf8mb4", "--collation-server=utf8mb4_nopad_bin",
		"--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0", "--innodb-flush-method=nosync",
		"--innodb-autoinc-lock-mode=2", "--skip-log-bin", "--skip-name-resolve", "--default-time-zone=+00:00", "--innodb-file-per-table=0", "--log-error="+out)
	diesWithUs(server)
	if err := server.Start(); err != nil {
		return stop, err
	}
	stop = func() {
		_ = server.Process.Kill() // its data go with it
		_ = server.Wait()
		os.RemoveAll(folder)
	}
	serverDSN = "root@unix(" + socket + ")/"
	return stop, waitForServer(out)
}

// memoryFolder is a folder that is kept in memory, or "": the default one.
func memoryFolder() string {
	if f, err := os.Stat("/dev/shm"); err == nil && f.IsDir() {
		return "/dev/shm"
	}
	return ""
}

func waitForServer(logFile string) error {
	var last error
	for range 300 {
		if last = pingServer(); last == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	text, _ := os.ReadFile(logFile)
	return fmt.Errorf("%w\n%s", last, text)
}

func pingServer() error {
	_ = mysql.SetLogger(log.New(nothing{}, "", 0))
	db, err := sql.Open("mysql", serverDSN)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Ping()
}

// nothing takes what is written and drops it.
type nothing struct{}

func (nothing) Write(p []byte) (int, error) { return len(p), nil }

// needServer skips the test, in plain words, where no MariaDB is.
func needServer(t testing.TB) {
	t.Helper()
	if serverDSN == "" {
		t.Skip("SKIPPED, nothing was compared: mariadbd is not installed (Debian: apt-get install mariadb-server), and NEARLYFREE_MARIADB names no server")
	}
}
