// The package that is used, and the checksums of what is used of it.

package pglite

// Name and Version are the package's name for npm.
const (
	Name    = "@electric-sql/pglite"
	Version = "0.5.16"
)

// tarballSHA512 is the checksum of the package's tarball.
const tarballSHA512 = "363f0a708b092fbe3c5b8d3c53637cab8fbd22538d76944853c309ca920000834c2799ea2b2aa95fb32083fe572a45e20226f702864647a86724596b94b06b72"

// entrySHA256 are the files under package/dist that are kept, with their checksums:
// the server, the program that makes a data directory, the server's files,
// the table of these (in the script), and the extensions with their side modules.
var entrySHA256 = map[string]string{
	"initdb.wasm":               "63d8b9d54110f827711545a338a643621e65b5658f09e1acfcf36073be365ce2",
	"pglite.wasm":               "5256d9ac379f631355f41ab30291e6a6d9f854242b5ee2a2d0940e28041d3fca",
	"pglite.data":               "d73cf4ba1b0bf92f80f088ce7d23b17f9bc175327d7584ec2a713b27e9758c31",
	"pglite.js":                 "b4ee8cc358344c9e495a57b4301938178bec1a2c6d6fad10cd600f5f8632b2a0",
	"amcheck.tar.gz":            "e88e630f083d3f7185f3ec6c475d80fa3e262ec075d7df5a0bb528b962721117",
	"auto_explain.tar.gz":       "edd0432d6e285184e54d726ee329b5d5aab7957718b649b6522288b5e05c5d7a",
	"bloom.tar.gz":              "7a133406882e754396ee590aff4843e10958acc6eb5c7bfd4dc0163df68c2089",
	"btree_gin.tar.gz":          "15968b2b912ddb281777514eb307dba9d2eafbc39842e7784c8dd96ad5fbbc7c",
	"btree_gist.tar.gz":         "b8c8798d4567c4b44da72f80c5570ae552d8ede9291407ef1caee6c8b5a102cd",
	"citext.tar.gz":             "9d7f941efc5d3b17d4855086512c6a3dae74ff7380402c00f9b81078da89449e",
	"cube.tar.gz":               "34e77fe63a67bfe68d0a0612b93a5a411b70cee6f448ec48ad740c4a162e6ed6",
	"dict_int.tar.gz":           "81bcc2b7a13203dfd54313370e45fb5728ad5d585918200e9ae1c0e0ec741f46",
	"dict_xsyn.tar.gz":          "19dfa7b6e28a82486d09d051fae56789b7ce714ecfd0f3fcc047af1bd520be7c",
	"earthdistance.tar.gz":      "55e5e82beb0a3d17b101b38bad9de1c95fed563a6f6ab9093f785e9a03374957",
	"file_fdw.tar.gz":           "24a46da7298c84e2a6b6b5457496f85819382feab82619ac775fd2ca7596f82e",
	"fuzzystrmatch.tar.gz":      "540ff999899ede69dc583b53db39c86b87222ca32f6dcb35baa2b05bfdd39ee0",
	"hstore.tar.gz":             "da769acee3df200a789fa0fd06020ba339201c2377761a6f911b2ff988bf2b5a",
	"intarray.tar.gz":           "75dc6e1a5ebf83c50645fd15fadeea245a9ff7c58b78733506c36d27abc3ecb0",
	"isn.tar.gz":                "ec8eb08a1085c4e0dcd909fd79f418df32761eea9345f5fa5bb4a9a2690a9aa8",
	"lo.tar.gz":                 "b2c57c1000a9107f49874877a3731867a203a7c755d2bf74122f2f67935ea7bf",
	"ltree.tar.gz":              "8020bc902e5a26933cdd0e5454ae825c72d3674359892abcb45702c7f7874187",
	"pageinspect.tar.gz":        "2b2a0b287b125d7f303c52f13acbc4c219b602f39570cb38607b27a72ae6f225",
	"passwordcheck.tar.gz":      "cbc1d0a14eec8256f60b2138e6bdbaeee8950d6e65508bad198b272617b25c85",
	"pg_buffercache.tar.gz":     "945d67698f50bf75952c8ebae6afbf70ca8ada31ee1c0ecbbf042a75f3788be7",
	"pg_freespacemap.tar.gz":    "654a6899a7a70bd5cf0e53e7b3dffdc165e98695379601d3b6fe68543ed444d8",
	"pg_logicalinspect.tar.gz":  "2cbee704ba5d8b6adbd65afbcc07f2cd1eecb458d63c07380fbec83822c23131",
	"pg_overexplain.tar.gz":     "cc618dd9090c7eb84d94225eec881a45bb681b89d2cd5283525010e095a95575",
	"pg_stat_statements.tar.gz": "8664839b1103fefe95d4fa9bfee1823866332a35eb3886612949c57bad5d9e91",
	"pg_surgery.tar.gz":         "1c42907bbd7670e2d21af998ec914dc160b8380b787e2e2113903813c5f28af1",
	"pg_trgm.tar.gz":            "ccbf37e10d84ad5a4b93783d3d74f9217dc656c162801093cdf4f33843f71bf7",
	"pg_visibility.tar.gz":      "55664a7f243cf56bb9b615a3d381ea9723dabccc862d2defe522f6209ec31582",
	"pg_walinspect.tar.gz":      "d7ec618827791957e8558a1502f1014450f21b1c4d9c56c4850ce0231dd6dbef",
	"pgcrypto.tar.gz":           "10da604dae5b3c3f1a25ef64ed406ee68b6a4850f80d07978b3fdb3f52c86c54",
	"seg.tar.gz":                "4ff4c44b57e62508e71d7a77f2d61b48db3cd6214798184becef0ccd36a69d32",
	"spi.tar.gz":                "7b30c34c498591b235cd3d80b379cba1941e457e6b7255cff8b190a6544f6794",
	"tablefunc.tar.gz":          "f6293e2131245db898b4e5d91a5de5378f7ae65ebfca1452b17116363c695fa7",
	"tcn.tar.gz":                "1deca4ae390fb462c184a8af30bfd06d23648f598b7155f44c863a44aea148ec",
	"tsm_system_rows.tar.gz":    "835c8ccf1d785067d06c8418d6f86465ecd606ebe4b83bded5382182961e6d74",
	"tsm_system_time.tar.gz":    "07b0bc29186af8727a8c6d692fe4b1ee332e5b57f13b95727d34779cd985956f",
	"unaccent.tar.gz":           "3f36d0e09674ae9703f4959d0b5753ee634d195b02c1a0189fe0ce85a33fca33",
	"uuid-ossp.tar.gz":          "af253f6a9bd01e3044b98cabec6b01b618b51c95e1b867bd676d528335527370",
}
