package expr

import (
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

func TestMain(m *testing.M) { testrun.Main(m) }
