DROP TABLE wallet;
