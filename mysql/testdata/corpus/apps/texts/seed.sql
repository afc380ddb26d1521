INSERT INTO p (name,note,code) VALUES ('Ann','first','ab'),('Bob','Second','cd '),('Zoë',NULL,'');
INSERT INTO b VALUES ('a',X'0102',1),('A','xyz',2);
INSERT INTO e (s,f,x) VALUES ('new','a','y'),('paid','a,c',NULL);
INSERT INTO j VALUES (1,'{"a": 1, "b": [1, 2, {"c": "x"}], "s": "t"}'),(2,'[1,2,3]'),(3,NULL);
