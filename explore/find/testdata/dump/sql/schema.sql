--
-- PostgreSQL database dump
--
\restrict Xy1

SET statement_timeout = 0;
SET transaction_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);

CREATE EXTENSION IF NOT EXISTS citext WITH SCHEMA public;
CREATE EXTENSION IF NOT EXISTS nowhere WITH SCHEMA public;
COMMENT ON EXTENSION nowhere IS 'not there';

CREATE TABLE public.product (
    id integer NOT NULL,
    name public.citext,
    stock integer NOT NULL
);
ALTER TABLE public.product OWNER TO shop;

COPY public.product (id, name, stock) FROM stdin;
1	nail	3
2	\N	0
\.

ALTER TABLE ONLY public.product ADD CONSTRAINT product_pkey PRIMARY KEY (id);
GRANT SELECT ON TABLE public.product TO shop;
\unrestrict Xy1
