package statements

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/explore/find/parsed"
)

// dump is as mysqldump writes one.
const dump = "-- MySQL dump 10.13\n" +
	"/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;\n" +
	"/*!50503 SET NAMES utf8mb4 */;\n" +
	"/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;\n" +
	"CREATE DATABASE /*!32312 IF NOT EXISTS*/ `shop`;\n" +
	"USE `shop`;\n" +
	"DROP TABLE IF EXISTS `product`;\n" +
	"CREATE TABLE `product` (\n  `id` int NOT NULL AUTO_INCREMENT,\n  `stock` int unsigned NOT NULL DEFAULT '0',\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;\n" +
	"LOCK TABLES `product` WRITE;\n" +
	"/*!40000 ALTER TABLE `product` DISABLE KEYS */;\n" +
	"INSERT INTO `product` VALUES (1,3),(2,0);\n" +
	"/*!40000 ALTER TABLE `product` ENABLE KEYS */;\n" +
	"UNLOCK TABLES;\n" +
	"GRANT ALL ON shop.* TO 'shop'@'%';\n"

// A dump is a schema as it is; the error of another one names its file and line.
func TestDump(t *testing.T) {
	var a parsed.Answer
	s, err := settled([]parsed.Script{{Name: "dump.sql", Text: dump}}, &a)
	if err != nil || len(a.Tables) != 1 || len(a.Tables[0].Columns) != 2 {
		t.Fatal(err, a)
	}
	if err := s.Try("INSERT INTO product VALUES (7, 1)"); err != nil {
		t.Error(err, a.Settled)
	}
	if _, err := settled([]parsed.Script{{Name: "dump.sql", Text: dump}, {Name: "2.sql", Text: "\nCREATE TABLE x (id nonsense)"}}, &a); err == nil || !strings.Contains(err.Error(), "2.sql:2: ") {
		t.Error(err)
	}
}
