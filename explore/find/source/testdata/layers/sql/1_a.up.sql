CREATE TABLE wallet (id int PRIMARY KEY, owner text, note text);
