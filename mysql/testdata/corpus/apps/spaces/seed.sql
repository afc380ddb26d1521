INSERT INTO pads (v,c,b,x,t) VALUES ('ann','ann','ann','ann','ann'),('bob ','bob ','bob ','bob ','bob '),('Cy','Cy','Cy','Cy','Cy'),('','','','',''),(NULL,NULL,NULL,NULL,NULL),('  ','  ','  ','  ','  ');
INSERT INTO kinds VALUES ('a','letter'),('b ','other');
INSERT INTO nums (i,u,t,ut,s,b,ub,d,f,v,c) VALUES (1,1,1,1,1,1,1,1.5,1.5,'a','a'),(2,2,2,2,2,2,2,2.5,2.5,'b','b'),(4,4,4,4,4,4,4,4.25,4.25,'c','c'),(NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO need VALUES (1,1,'one',1);
INSERT INTO docs VALUES (1,'{"a": 1, "s": "text", "n": null, "t": true, "f": 1.5, "l": [1,2,"x"], "o": {"k": "v"}}','{"a":"q"}'),(2,NULL,NULL);
