package schema

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// CollationNamed finds a collation by its name, in any case.
func CollationNamed(name string) (value.Collation, error) {
	if c, ok := value.CollationNamed(name); ok {
		return c, nil
	}
	var names []string
	for _, c := range value.Collations() {
		names = append(names, c.String())
	}
	return 0, sqlerr.New(sqlerr.CodeUnknownCollation, sqlerr.NoPos, "Unknown collation: '%s' (there are %s)", name, sqlerr.Whole(strings.Join(names, ", ")))
}
