package engine

// Identifiers of types, from PostgreSQL's catalog (pg_type.dat).
const (
	TypeBool        OID = 16
	TypeBytea       OID = 17
	TypeName        OID = 19
	TypeInt8        OID = 20
	TypeInt2        OID = 21
	TypeInt4        OID = 23
	TypeText        OID = 25
	TypeOID         OID = 26
	TypeJSON        OID = 114
	TypeBpchar      OID = 1042
	TypeVarchar     OID = 1043
	TypeDate        OID = 1082
	TypeTimestamp   OID = 1114
	TypeTimestamptz OID = 1184
	TypeNumeric     OID = 1700
	TypeUUID        OID = 2950
)
