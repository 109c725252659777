package planner_test

import "testing"

// TestPlans runs the scripts of testdata/plans, one a part of a query, like TestExplain.
func TestPlans(t *testing.T) { runScripts(t, "testdata/plans/*.txt") }
