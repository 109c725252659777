package schema

const (
	// Top is above every key text. It never leaves the package: where a span has no upper bound, its prefix gives one.
	Top = "\xff"
	// Behind is what follows the separator in the order of characters: code + behind is the end of all
	// keys that have the code, alone or with more columns.
	Behind = "\""
)
