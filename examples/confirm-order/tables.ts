export const tables = `
  CREATE TABLE stock (
    product text PRIMARY KEY,
    pieces integer NOT NULL CHECK (pieces >= 0)
  );
  CREATE TABLE orders (
    id text PRIMARY KEY,
    product text NOT NULL REFERENCES stock,
    status text NOT NULL DEFAULT 'placed' CHECK (status IN ('placed', 'confirmed'))
  );
  -- Parcels that the carrier accepted.
  CREATE TABLE shipments (
    id text PRIMARY KEY,
    order_id text NOT NULL REFERENCES orders,
    tracking_code text NOT NULL
  );
`;
