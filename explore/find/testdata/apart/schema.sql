CREATE TABLE stock (
    item int PRIMARY KEY,
    units int NOT NULL
);

CREATE TABLE vote (
    id serial PRIMARY KEY,
    item int NOT NULL REFERENCES stock,
    who text NOT NULL
);
