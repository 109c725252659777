package define

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// engines are the storage engines named by programs written for MySQL. All mean this one.
var engines = strings.Fields("default nearlyfree innodb myisam memory heap csv archive blackhole merge mrg_myisam federated example ndb ndbcluster aria")

// CheckOptions refuses options that promise what is not done, and unknown ones. Options that
// do not affect a table here may have any value.
func CheckOptions(options map[string]string) error {
	for _, name := range []string{"ENGINE", "TYPE", "ENCRYPTION", "ALGORITHM", "LOCK"} {
		given, ok := options[name]
		if !ok {
			continue
		}
		if err := checkOption(name, given, strings.ToLower(given)); err != nil {
			return err
		}
	}
	return nil
}

func checkOption(name, given, word string) error {
	switch name {
	case "ENGINE", "TYPE":
		if !slices.Contains(engines, word) {
			return sqlerr.New(sqlerr.CodeUnknownEngine, sqlerr.NoPos, "Unknown storage engine '%s': leave ENGINE out, or write InnoDB", given)
		}
	case "ENCRYPTION":
		switch word {
		case "", "n", "default":
		case "y":
			return sqlerr.NotSupported(sqlerr.NoPos, "ENCRYPTION = 'Y' (the service encrypts all that it keeps, memory and files are not encrypted) is")
		default:
			return sqlerr.New(sqlerr.CodeInvalidEncryption, sqlerr.NoPos, "Invalid encryption option '%s': it is 'Y' or 'N'", given)
		}
	case "ALGORITHM":
		if !slices.Contains([]string{"default", "inplace", "instant", "copy"}, word) {
			return sqlerr.New(sqlerr.CodeUnknownAlgorithm, sqlerr.NoPos, "Unknown ALGORITHM '%s'", given)
		}
	case "LOCK":
		switch word {
		case "default", "none":
		case "shared", "exclusive":
			return sqlerr.New(sqlerr.CodeAlterReason, sqlerr.NoPos, "LOCK=%s is not supported. Reason: others go on writing while a definition changes. Try LOCK=NONE.", strings.ToUpper(given))
		default:
			return sqlerr.New(sqlerr.CodeUnknownLock, sqlerr.NoPos, "Unknown LOCK type '%s'", given)
		}
	}
	return nil
}
