export const tables = `
  CREATE TABLE campaign (
    name text PRIMARY KEY,
    points_left integer NOT NULL CHECK (points_left >= 0)
  );
  CREATE TABLE orders (
    id text PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES point_balances,
    campaign text NOT NULL REFERENCES campaign,
    total integer NOT NULL,
    status text NOT NULL DEFAULT 'placed' CHECK (status IN ('placed', 'confirmed'))
  );
  CREATE TABLE point_balances (
    customer_id integer PRIMARY KEY,
    balance integer NOT NULL DEFAULT 0
  );
  -- Of the wrong program: nothing in it says that two rows are the same grant.
  CREATE TABLE point_grants (
    id text PRIMARY KEY,
    order_id text NOT NULL REFERENCES orders,
    points integer NOT NULL
  );
`;
