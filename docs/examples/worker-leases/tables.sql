-- A job's row bears the greatest token that was ever written with: no smaller one gets past it.
CREATE TABLE job (
  name text PRIMARY KEY,
  step int NOT NULL DEFAULT 0,
  writer text,
  token bigint NOT NULL DEFAULT 0
);
INSERT INTO job (name) VALUES ('import');
