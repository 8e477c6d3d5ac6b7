-- A ledger of the indexed chain by its hash, which no other chain has; of the incarnation of the network that it was read in.
alter table idx.cursor
  add column anchor_chain int,
  add column anchor_ledger bigint,
  add column anchor_hash text;

-- Whether the market was on the ledger at all when it was looked at last; null: never looked at.
alter table idx.reconciliation
  alter column ledger drop not null, alter column compared_at drop not null, alter column positions_expected drop not null,
  alter column positions_missing drop not null, alter column interest_corrections set default 0,
  add column market_found boolean;
