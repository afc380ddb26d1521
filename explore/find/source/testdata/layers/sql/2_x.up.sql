ALTER TABLE wallet ADD x int;
