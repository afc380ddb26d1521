CREATE TYPE status AS ENUM ('open', 'paid');

CREATE TABLE article (
    id    bigserial PRIMARY KEY,
    name  text NOT NULL UNIQUE,
    stock integer NOT NULL CHECK (stock >= 0)
);

CREATE TABLE orders (
    id      bigserial PRIMARY KEY,
    buyer   text NOT NULL,
    article bigint NOT NULL REFERENCES article,
    pieces  integer NOT NULL,
    status  status NOT NULL DEFAULT 'open'
);

INSERT INTO article (name, stock) VALUES ('lamp', 3);
