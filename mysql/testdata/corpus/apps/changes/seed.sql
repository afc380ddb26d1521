INSERT INTO a (u,v) VALUES (10,1),(20,2),(30,3);
INSERT INTO w VALUES (1,1,1),(1,2,2),(2,1,3);
INSERT INTO par VALUES (1,1),(2,2),(3,3);
INSERT INTO kid (p,n) VALUES (1,1),(1,2),(2,3);
INSERT INTO pet VALUES (1,1),(2,2);
INSERT INTO strict_kid VALUES (1,3);
INSERT INTO gen (a) VALUES (1),(2);
INSERT INTO heap VALUES (1,'a'),(1,'a'),(2,'b');
