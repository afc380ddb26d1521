// Where the server's structures have their fields. The numbers belong to PostgreSQL 18 with 32-bit
// pointers, as this package is compiled; the package's checksum is pinned and checkLayout looks at start-up
// whether known objects are found with them.

package engine

import "fmt"

// Fields of RelationData (utils/rel.h), pg_class, TupleDescData and pg_attribute.
const (
	relRel      = 48
	relAtt      = 52
	relID       = 56
	relTableAM  = 188
	relIndex    = 192
	relIndexAM  = 204
	className   = 4
	classKind   = 119
	classSchema = 68
	descCount   = 0
	descCompact = 20
	compactSize = 16
	attSize     = 100
	attName     = 4
	attType     = 68
	attLen      = 72
	attTypmod   = 76
	attByVal    = 82
	attAlign    = 83
	attNotNull  = 86
	attGen      = 90
	attDropped  = 91
)

// Fields of pg_index and IndexInfo (nodes/execnodes.h).
const (
	indexOID       = 0
	indexTable     = 4
	indexCount     = 8
	indexKeys      = 10
	indexUnique    = 12
	indexNullsSame = 13
	indexPrimary   = 14
	indexExcludes  = 15
	indexImmediate = 16
	indexKey       = 48
	infoPredicate  = 84
)

// Fields of HeapTupleData, its header, TupleTableSlot, SnapshotData and TM_FailureData.
const (
	tupleSelf    = 4
	tupleTable   = 12
	tupleData    = 16
	headMask2    = 18
	headMask     = 20
	headOffset   = 22
	headBits     = 23
	slotValid    = 6
	slotValues   = 16
	slotNulls    = 20
	slotTID      = 28
	snapKind     = 0
	snapXmin     = 4
	snapXmax     = 8
	snapCommand  = 32
	snapNumber   = 36 // speculativeToken: of use in dirty snapshots only, copied in all
	failXmax     = 8
	failCommand  = 12
	failTraverse = 16
)

// Fields of IndexScanDescData and ScanKeyData (access/relscan.h, access/skey.h).
const (
	scanTable    = 0
	scanIndex    = 4
	scanSnapshot = 8
	scanKeyData  = 20
	keySize      = 48
	keyColumn    = 4
	keyStrategy  = 6
	keySubtype   = 8
	keyCollation = 12
	keyFunc      = 16
	keyValue     = 44
)

// Functions of TableAmRoutine (access/tableam.h), by their number in it.
const (
	amScanBegin          = 2
	amFetchRow           = 15
	amLatestTID          = 17
	amIndexDelete        = 19
	amInsert             = 20
	amInsertSpeculative  = 21
	amCompleteSpeculate  = 22
	amMultiInsert        = 23
	amDelete             = 24
	amUpdate             = 25
	amLock               = 26
	amSetNewFile         = 28
	amTruncate           = 29
	amCount              = 45
	classOID             = 1259 // pg_class
	classIndexOID        = 2662 // its primary key
	indexAMRescan        = 96   // in IndexAmRoutine
	indexAMInsert        = 44   // aminsert
	nameLength, oidWidth = 64, 4
)

// checkLayout finds pg_class and its index in the relation cache with the offsets above.
func (x *Instance) checkLayout(class, index uint32) error {
	w := x.proc.Word
	checks := []struct {
		what      string
		got, want uint32
	}{
		{"rd_id", w(class + relID), classOID},
		{"rd_id of an index", w(index + relID), classIndexOID},
		{"rd_index.indexrelid", w(w(index+relIndex) + indexOID), classIndexOID},
		{"rd_index.indrelid", w(w(index+relIndex) + indexTable), classOID},
		{"indkey", uint32(x.proc.Half(w(index+relIndex) + indexKey)), 1},
		{"relkind", uint32(x.proc.Byte(w(class+relRel) + classKind)), 'r'},
		{"atttypid", w(x.attribute(class, 0) + attType), uint32(TypeOID)},
		{"atttypid", w(x.attribute(class, 1) + attType), uint32(TypeName)},
		{"attlen", uint32(x.proc.Half(x.attribute(class, 0) + attLen)), oidWidth},
		{"attlen", uint32(x.proc.Half(x.attribute(class, 1) + attLen)), nameLength},
		{"amrescan", w(w(index+relIndexAM) + indexAMRescan), rescans[0]},
	}
	for _, c := range checks {
		if c.got != c.want {
			return fmt.Errorf("the server's structures are not as expected: %s is %d, not %d", c.what, c.got, c.want)
		}
	}
	if name := x.proc.String(w(class+relRel) + className); name != "pg_class" {
		return fmt.Errorf("the server's structures are not as expected: relname is %q", name)
	}
	return nil
}

// attribute is the address of a relation's pg_attribute row.
func (x *Instance) attribute(rel uint32, i int) uint32 {
	desc := x.proc.Word(rel + relAtt)
	n := x.proc.Word(desc + descCount)
	return desc + descCompact + n*compactSize + uint32(i)*attSize
}
