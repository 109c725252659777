// Package sqlerr is the one error of SQL: a number and a state that MySQL has for it, and one place that words it.
// The source of the numbers is MySQL 8.0's error message reference.
package sqlerr

// MySQL's error numbers.
const (
	CodeColumnNull         = 1048
	CodeUnknownDatabase    = 1049
	CodeTableExists        = 1050
	CodeUnknownTable       = 1051
	CodeNonUniqueColumn    = 1052
	CodeUnknownColumn      = 1054
	CodeWrongFieldGroup    = 1055
	CodeWrongGroupField    = 1056
	CodeDuplicateColumn    = 1060
	CodeDuplicateKeyName   = 1061
	CodeDuplicateEntry     = 1062
	CodeWrongSpecifier     = 1063
	CodeSyntax             = 1064
	CodeNonUniqueTable     = 1066
	CodeInvalidDefault     = 1067
	CodeMultiplePrimaryKey = 1068
	CodeTooManyKeyParts    = 1070
	CodeKeyColumnMissing   = 1072
	CodeAutoKey            = 1075
	CodeWrongPrefix        = 1089
	CodeCantRemoveAll      = 1090
	CodeCantDropField      = 1091
	CodeNoTables           = 1096
	CodeUnknownMultiTable  = 1109
	CodeColumnTwice        = 1110
	CodeInvalidGroupFunc   = 1111
	CodeTableMustHaveCols  = 1113
	CodeUnknownCharset     = 1115
	CodeTooManyTables      = 1116
	CodeTooManyColumns     = 1117
	CodeColumnCount        = 1136
	CodeMixOfGroupFunc     = 1140
	CodeNoSuchTable        = 1146
	CodePrimaryNull        = 1171
	CodeUnknownIndex       = 1176
	CodeWrongArguments     = 1210
	CodeForeignKey         = 1215
	CodeWrongUsage         = 1221
	CodeUnionColumns       = 1222
	CodeMisplaced          = 1234
	CodeNotSupported       = 1235
	CodeForeignKeyColumns  = 1239
	CodeOperandColumns     = 1241
	CodeSubqueryRows       = 1242
	CodeDerivedAlias       = 1248
	CodeOutOfRange         = 1264
	CodeTruncated          = 1265
	CodeCollationMix       = 1267
	CodeCollationMix3      = 1270
	CodeCollationMixes     = 1271
	CodeUnknownCollation   = 1273
	CodeWrongIndexName     = 1280
	CodeNonUpdatable       = 1288
	CodeWrongValue         = 1292
	CodeInvalidOnUpdate    = 1294
	CodeNoSuchFunction     = 1305
	CodeViewFieldList      = 1353
	CodeNoDefault          = 1364
	CodeWrongFieldValue    = 1366
	CodeIllegalDouble      = 1367
	CodeTooLong            = 1406
	CodeDisplayWidth       = 1439
	CodeParentRow          = 1451
	CodeNoParentRow        = 1452
	CodeAutoExhausted      = 1467
	CodePartitionMaxLast   = 1481
	CodePartitionsMissing  = 1492
	CodePartitionOrder     = 1493
	CodePartitionTwice     = 1495
	CodeTooManyPartitions  = 1499
	CodePartitionColumn    = 1503
	CodeNoPartitions       = 1505
	CodePartitionUnknown   = 1507
	CodePartitionsAll      = 1508
	CodeOnlyRangeList      = 1512
	CodePartitionName      = 1517
	CodeWrongLiteral       = 1525
	CodeNoPartition        = 1526
	CodeWrongParameters    = 1582
	CodePartitionValue     = 1697
	CodeTruncateReferenced = 1701
	CodeNoReferencedKey    = 1822
	CodeNoReferencedTable  = 1824
	CodeInvalidFieldSize   = 3013
	CodeOrderNotInDistinct = 3065
	CodeGeneratedFunc      = 3102
	CodeGeneratedValue     = 3105
	CodeGeneratedOrder     = 3107
	CodeGeneratedDependsOn = 3108
	CodeGeneratedAuto      = 3109
	CodeInvalidJSON        = 3140
	CodeJSONKey            = 3152
	CodeJSONCast           = 3156
	CodeJSONDepth          = 3157
	CodeCapacityExceeded   = 3170
	CodeDropReferenced     = 3730
	CodeDefaultOrder       = 3767
	CodeDefaultAuto        = 3768
	CodeDefaultOfRow       = 3773
	CodeIncompatibleKeys   = 3780
	CodeCheckFunction      = 3814
	CodeCheckViolated      = 3819
	CodeNoCheck            = 3821
	CodeDuplicateCheck     = 3822
	CodeNoConstraint       = 3940
	CodeCheckUses          = 3959
)

// states are the SQLSTATEs of those numbers whose state is not HY000.
var states = map[int]string{
	CodeColumnNull:         "23000",
	CodeUnknownDatabase:    "42000",
	CodeTableExists:        "42S01",
	CodeUnknownTable:       "42S02",
	CodeNonUniqueColumn:    "23000",
	CodeUnknownColumn:      "42S22",
	CodeWrongFieldGroup:    "42000",
	CodeWrongGroupField:    "42000",
	CodeDuplicateColumn:    "42S21",
	CodeDuplicateKeyName:   "42000",
	CodeDuplicateEntry:     "23000",
	CodeWrongSpecifier:     "42000",
	CodeSyntax:             "42000",
	CodeNonUniqueTable:     "42000",
	CodeInvalidDefault:     "42000",
	CodeMultiplePrimaryKey: "42000",
	CodeKeyColumnMissing:   "42000",
	CodeAutoKey:            "42000",
	CodeCantDropField:      "42000",
	CodeUnknownMultiTable:  "42S02",
	CodeColumnTwice:        "42000",
	CodeTableMustHaveCols:  "42000",
	CodeUnknownCharset:     "42000",
	CodeColumnCount:        "21S01",
	CodeMixOfGroupFunc:     "42000",
	CodeNoSuchTable:        "42S02",
	CodePrimaryNull:        "42000",
	CodeUnknownIndex:       "42000",
	CodeUnionColumns:       "21000",
	CodeMisplaced:          "42000",
	CodeNotSupported:       "42000",
	CodeForeignKeyColumns:  "42000",
	CodeOperandColumns:     "21000",
	CodeSubqueryRows:       "21000",
	CodeDerivedAlias:       "42000",
	CodeOutOfRange:         "22003",
	CodeTruncated:          "01000",
	CodeWrongValue:         "22007",
	CodeNoSuchFunction:     "42000",
	CodeIllegalDouble:      "22007",
	CodeTooLong:            "22001",
	CodeDisplayWidth:       "42000",
	CodeParentRow:          "23000",
	CodeNoParentRow:        "23000",
	CodeWrongParameters:    "42000",
	CodeTruncateReferenced: "42000",
	CodeInvalidJSON:        "22032",
	CodeJSONCast:           "22018",
	CodeJSONDepth:          "22032",
}
