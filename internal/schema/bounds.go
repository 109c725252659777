package schema

const (
	// Top is above every key text. It never leaves the package: a span without an upper bound gets one from its prefix.
	Top = "\xff"
	// Behind is what follows the separator in the order of characters: code + behind is the end of all
	// keys that have the code, alone or with more columns.
	Behind = "\""
)
