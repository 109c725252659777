// Package sqlerr is the one error of SQL: a number and a state that MySQL has for it, and one place that words it.
// The source of the numbers is MySQL 8.0's error message reference.
package sqlerr

// MySQL's error numbers.
const (
	CodeStoreUnsupported       = 138 // HA_ERR_UNSUPPORTED, of MySQL's warnings that a store lacks a feature
	CodeDatabaseExists         = 1007
	CodeNoDatabaseToDrop       = 1008
	CodeDatabaseDenied         = 1044
	CodeNoDatabase             = 1046
	CodeColumnNull             = 1048
	CodeUnknownDatabase        = 1049
	CodeTableExists            = 1050
	CodeUnknownTable           = 1051
	CodeNonUniqueColumn        = 1052
	CodeUnknownColumn          = 1054
	CodeWrongFieldGroup        = 1055
	CodeWrongGroupField        = 1056
	CodeTooLongIdent           = 1059
	CodeDuplicateColumn        = 1060
	CodeDuplicateKeyName       = 1061
	CodeDuplicateEntry         = 1062
	CodeWrongSpecifier         = 1063
	CodeSyntax                 = 1064
	CodeNonUniqueTable         = 1066
	CodeInvalidDefault         = 1067
	CodeMultiplePrimaryKey     = 1068
	CodeTooManyKeyParts        = 1070
	CodeKeyColumnMissing       = 1072
	CodeAutoKey                = 1075
	CodeWrongPrefix            = 1089
	CodeCantRemoveAll          = 1090
	CodeCantDropField          = 1091
	CodeNoSuchThread           = 1094
	CodeNoTables               = 1096
	CodeWrongDatabaseName      = 1102
	CodeUnknownError           = 1105
	CodeUnknownMultiTable      = 1109
	CodeColumnTwice            = 1110
	CodeInvalidGroupFunc       = 1111
	CodeTableMustHaveCols      = 1113
	CodeUnknownCharset         = 1115
	CodeTooManyTables          = 1116
	CodeTooManyColumns         = 1117
	CodeRowTooLarge            = 1118
	CodeColumnCount            = 1136
	CodeInvalidNull            = 1138
	CodeMixOfGroupFunc         = 1140
	CodeNoSuchGrant            = 1141
	CodeNoSuchTable            = 1146
	CodePrimaryNull            = 1171
	CodeTooManyRows            = 1172
	CodeUnknownIndex           = 1176
	CodeUnknownVariable        = 1193
	CodeLockWaitTimeout        = 1205
	CodeWrongArguments         = 1210
	CodeDeadlock               = 1213
	CodeForeignKey             = 1215
	CodeWrongUsage             = 1221
	CodeUnionColumns           = 1222
	CodeWrongVariableValue     = 1231
	CodeWrongVariableType      = 1232
	CodeMisplaced              = 1234
	CodeNotSupported           = 1235
	CodeReadOnlyVariable       = 1238
	CodeForeignKeyColumns      = 1239
	CodeOperandColumns         = 1241
	CodeSubqueryRows           = 1242
	CodeUnknownPrepared        = 1243
	CodeDerivedAlias           = 1248
	CodeOutOfRange             = 1264
	CodeTruncated              = 1265
	CodeCollationMix           = 1267
	CodeCollationMix3          = 1270
	CodeCollationMixes         = 1271
	CodeUnknownCollation       = 1273
	CodeWrongIndexName         = 1280
	CodeUnknownEngine          = 1286
	CodeNonUpdatable           = 1288
	CodeWrongValue             = 1292
	CodeInvalidOnUpdate        = 1294
	CodeNotPreparable          = 1295
	CodeUnknownTimeZone        = 1298
	CodeInvalidCharacters      = 1300
	CodeArgumentTooLong        = 1301
	CodeNoSuchFunction         = 1305
	CodeInterrupted            = 1317
	CodeNoData                 = 1329
	CodeWrongObject            = 1347
	CodeNonUpdatableColumn     = 1348
	CodeViewVariable           = 1351
	CodeViewOfTemporary        = 1352
	CodeViewFieldList          = 1353
	CodeViewNotMerged          = 1354
	CodeViewInvalid            = 1356
	CodeNoDefault              = 1364
	CodeDivisionByZero         = 1365
	CodeWrongFieldValue        = 1366
	CodeIllegalDouble          = 1367
	CodeViewNoCheck            = 1368
	CodeViewCheckFailed        = 1369
	CodeViewSeveralTables      = 1393
	CodeViewNoFieldList        = 1394
	CodeViewDeleteJoin         = 1395
	CodeTooLong                = 1406
	CodeWrongTimeText          = 1411
	CodeTableChanged           = 1412
	CodeViewNoDefault          = 1423
	CodeDisplayWidth           = 1439
	CodeTimeOverflow           = 1441
	CodeParentRow              = 1451
	CodeNoParentRow            = 1452
	CodeTooManyPrepared        = 1461
	CodeViewRecursive          = 1462
	CodeAutoExhausted          = 1467
	CodeNonInsertable          = 1471
	CodePartitionValues        = 1480
	CodePartitionMaxLast       = 1481
	CodePartitionCount         = 1484
	CodePartitionsMissing      = 1492
	CodePartitionOrder         = 1493
	CodePartitionTwice         = 1495
	CodeTooManyPartitions      = 1499
	CodePartitionColumn        = 1503
	CodeNoPartitions           = 1505
	CodePartitionUnknown       = 1507
	CodePartitionsAll          = 1508
	CodeOnlyRangeList          = 1512
	CodePartitionName          = 1517
	CodeWrongLiteral           = 1525
	CodeNoPartition            = 1526
	CodeIndexNeeded            = 1553
	CodePartitionTemporary     = 1562
	CodeTransactionIsOpen      = 1568
	CodeWrongParameters        = 1582
	CodeNumberOutOfRange       = 1690
	CodePartitionValue         = 1697
	CodeTruncateReferenced     = 1701
	CodeMultiUpdateKey         = 1706
	CodeReadOnlyTransaction    = 1792
	CodeUnknownAlgorithm       = 1800
	CodeUnknownLock            = 1801
	CodeNoReferencedKey        = 1822
	CodeNoReferencedTable      = 1824
	CodeDuplicateForeignKey    = 1826
	CodeForeignKeyDrop         = 1828
	CodeForeignKeyDropParent   = 1829
	CodeForeignKeyNotNull      = 1830
	CodeForeignKeyChange       = 1832
	CodeForeignKeyChangeParent = 1833
	CodeAlterReason            = 1846
	CodeGeneratedIgnored       = 1906 // of MariaDB
	CodeCascadeDepth           = 3008
	CodeInvalidFieldSize       = 3013
	CodeInvalidLogarithm       = 3020
	CodeQueryTimeout           = 3024
	CodeOrderNotInDistinct     = 3065
	CodeGeneratedFunc          = 3102
	CodeForeignKeyGenerated    = 3104
	CodeGeneratedValue         = 3105
	CodeGeneratedOrder         = 3107
	CodeGeneratedDependsOn     = 3108
	CodeGeneratedAuto          = 3109
	CodeIgnoredHint            = 3126
	CodeInvalidJSON            = 3140
	CodeJSONText               = 3141
	CodeJSONPath               = 3143
	CodeJSONBinary             = 3144
	CodeJSONType               = 3146
	CodeJSONWildPath           = 3149
	CodeJSONKey                = 3152
	CodeJSONWholePath          = 3153
	CodeJSONOneOrAll           = 3154
	CodeJSONCast               = 3156
	CodeJSONDepth              = 3157
	CodeJSONNullKey            = 3158
	CodeJSONNoCell             = 3165
	CodeCapacityExceeded       = 3170
	CodeInvalidEncryption      = 3184
	CodeUnresolvedLock         = 3568
	CodeLockedTwice            = 3569
	CodeLockNoWait             = 3572
	CodeRecursiveNoUnion       = 3573
	CodeRecursiveNoSeed        = 3574
	CodeRecursiveAggregate     = 3575
	CodeRecursiveOuterJoin     = 3576
	CodeRecursiveTwice         = 3577
	CodeNoSuchWindow           = 3579
	CodeWindowCircle           = 3580
	CodeWindowChildPartition   = 3581
	CodeWindowInheritedFrame   = 3582
	CodeWindowOrderTwice       = 3583
	CodeFrameStart             = 3584
	CodeFrameEnd               = 3585
	CodeFrameIllegal           = 3586
	CodeFrameOrder             = 3587
	CodeFrameTemporal          = 3588
	CodeFrameNumeric           = 3589
	CodeFrameNotConstant       = 3590
	CodeWindowTwice            = 3591
	CodeWindowPosition         = 3592
	CodeWindowMisplaced        = 3593
	CodeWindowAlias            = 3594
	CodeWindowNested           = 3595
	CodeFrameInterval          = 3596
	CodeGroupingArguments      = 3601
	CodeGroupingNoGroup        = 3602
	CodeRecursionDepth         = 3636
	CodeJSONTableMissing       = 3665
	CodeJSONTableScalar        = 3666
	CodeFunctionAlias          = 3667
	CodeLateralJoin            = 3668
	CodeJSONTableRange         = 3669
	CodeDropReferenced         = 3730
	CodeForeignKeyColumn       = 3734
	CodeDefaultOrder           = 3767
	CodeDefaultAuto            = 3768
	CodeDefaultOfRow           = 3773
	CodeIncompatibleKeys       = 3780
	CodeCheckFunction          = 3814
	CodeCheckViolated          = 3819
	CodeNoCheck                = 3821
	CodeDuplicateCheck         = 3822
	CodePatternTooLarge        = 3887
	CodeNoConstraint           = 3940
	CodeAlterConstraint        = 3941
	CodeEmptyRow               = 3942
	CodeCheckUses              = 3959
	CodeJSONNoValue            = 3966
	CodeNoVisibleColumn        = 4028
	CodeNoUniqueKey            = 6125
)

// states are the SQLSTATEs of the numbers whose state is not HY000.
var states = map[int]string{
	CodeDatabaseDenied:      "42000",
	CodeNoDatabase:          "3D000",
	CodeColumnNull:          "23000",
	CodeInvalidNull:         "22004",
	CodeUnknownDatabase:     "42000",
	CodeTableExists:         "42S01",
	CodeUnknownTable:        "42S02",
	CodeNonUniqueColumn:     "23000",
	CodeUnknownColumn:       "42S22",
	CodeWrongFieldGroup:     "42000",
	CodeWrongGroupField:     "42000",
	CodeTooLongIdent:        "42000",
	CodeRowTooLarge:         "42000",
	CodeNoSuchGrant:         "42000",
	CodeWrongDatabaseName:   "42000",
	CodeDuplicateColumn:     "42S21",
	CodeDuplicateKeyName:    "42000",
	CodeDuplicateEntry:      "23000",
	CodeWrongSpecifier:      "42000",
	CodeSyntax:              "42000",
	CodeNonUniqueTable:      "42000",
	CodeInvalidDefault:      "42000",
	CodeMultiplePrimaryKey:  "42000",
	CodeKeyColumnMissing:    "42000",
	CodeAutoKey:             "42000",
	CodeCantDropField:       "42000",
	CodeUnknownMultiTable:   "42S02",
	CodeColumnTwice:         "42000",
	CodeTableMustHaveCols:   "42000",
	CodeUnknownCharset:      "42000",
	CodeColumnCount:         "21S01",
	CodeMixOfGroupFunc:      "42000",
	CodeNoSuchTable:         "42S02",
	CodePrimaryNull:         "42000",
	CodeTooManyRows:         "42000",
	CodeUnknownIndex:        "42000",
	CodeDeadlock:            "40001",
	CodeUnionColumns:        "21000",
	CodeWrongVariableValue:  "42000",
	CodeMisplaced:           "42000",
	CodeNotSupported:        "42000",
	CodeForeignKeyColumns:   "42000",
	CodeOperandColumns:      "21000",
	CodeSubqueryRows:        "21000",
	CodeDerivedAlias:        "42000",
	CodeOutOfRange:          "22003",
	CodeTruncated:           "01000",
	CodeUnknownEngine:       "42000",
	CodeWrongValue:          "22007",
	CodeNoSuchFunction:      "42000",
	CodeInterrupted:         "70100",
	CodeNoData:              "02000",
	CodeDivisionByZero:      "22012",
	CodeIllegalDouble:       "22007",
	CodeTooLong:             "22001",
	CodeDisplayWidth:        "42000",
	CodeTimeOverflow:        "22008",
	CodeParentRow:           "23000",
	CodeNoParentRow:         "23000",
	CodeTooManyPrepared:     "42000",
	CodeWrongParameters:     "42000",
	CodeNumberOutOfRange:    "22003",
	CodeTruncateReferenced:  "42000",
	CodeTransactionIsOpen:   "25001",
	CodeReadOnlyTransaction: "25006",
	CodeAlterReason:         "0A000",
	CodeInvalidLogarithm:    "2201E",
	CodeWrongVariableType:   "42000",
	CodeInvalidJSON:         "22032",
	CodeJSONText:            "22032",
	CodeJSONPath:            "42000",
	CodeJSONBinary:          "22032",
	CodeJSONType:            "22032",
	CodeJSONWildPath:        "42000",
	CodeJSONWholePath:       "42000",
	CodeJSONOneOrAll:        "42000",
	CodeJSONCast:            "22018",
	CodeJSONDepth:           "22032",
	CodeJSONNullKey:         "22032",
	CodeJSONNoCell:          "42000",
	CodeJSONNoValue:         "22035",
}

// State is the SQLSTATE of a number.
func State(code int) string {
	if s := states[code]; s != "" {
		return s
	}
	return "HY000"
}
