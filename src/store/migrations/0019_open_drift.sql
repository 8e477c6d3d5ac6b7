-- How many more positions and orders the index has open than the market counts; null: unknown.
alter table idx.reconciliation
  add column open_positions_drift bigint,
  add column open_orders_drift bigint;
