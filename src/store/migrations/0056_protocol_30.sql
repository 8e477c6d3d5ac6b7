-- Milliseconds, from protocol 30 on, and the protocol after the ledger. The hash covers both.
alter table idx.anchors add column close_ms bigint, add column protocol int;

-- What later protocols added and this gateway met, one row for each kind, with the first bytes of it.
create table idx.newer_forms (
  chain int not null,
  what text not null check (length(what) <= 100),
  -- The first ledger that contains it, or before which the index stopped.
  ledger bigint not null,
  is_stop boolean not null,
  xdr text,
  -- The newest protocol that the version knew which met it.
  known_protocol int not null,
  -- When it was met last.
  seen_at bigint not null,
  primary key (chain, what)
);

-- Positions in the log of the trades that open and close a candle; null for prices of the oracle. Seconds may repeat from protocol 30 on.
alter table idx.candles add column open_seq bigint, add column close_seq bigint;
