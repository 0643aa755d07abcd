-- The shop that the tests of the REST API ask about: SQLite.
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  ref TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'paid')),
  total DECIMAL(12,2),
  placed_at DATETIME,
  customer_id INTEGER REFERENCES customers(id)
);
CREATE TABLE lines (
  order_id INTEGER NOT NULL REFERENCES orders(id),
  sku TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  PRIMARY KEY (order_id, sku)
);
CREATE TABLE events (at DATETIME, text TEXT);
CREATE TABLE "a b/ç" (id INTEGER PRIMARY KEY, label TEXT);
INSERT INTO customers VALUES (1, 'Zed', 'FR'), (2, 'Ünal', 'DE');
INSERT INTO orders VALUES
  (1, 'A-1', 'paid', 10.5, '2024-04-01T10:00:00.000Z', 1),
  (2, 'A-2', 'draft', 20, '2024-05-01T10:00:00.000Z', 1),
  (3, 'A-3', 'draft', NULL, NULL, 2),
  (4, 'A-4', 'paid', 40, NULL, NULL);
INSERT INTO lines VALUES (4, 'ab', 3), (4, 'a|b', 1), (1, 'ab', 2);
INSERT INTO events VALUES ('2024-04-01T10:00:00.000Z', 'opened');
INSERT INTO "a b/ç" VALUES (1, 'odd');
