ALTER TABLE wallet ADD closed boolean;
