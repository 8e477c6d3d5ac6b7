-- What is known of ledgers that were lost. The events of a gap have places in the log of their own, set aside when it was noticed: whatever is read of it
-- later stands where it happened.
alter table idx.gaps
  -- The places set aside for its events; of a gap that an earlier version noted there are none.
  add column first_seq bigint not null default 0,
  add column last_seq bigint not null default 0,
  -- Close time of the last ledger read before it, unix seconds; null when that is not known.
  add column after_ts bigint,
  add column state text not null default 'open' check (state in ('open', 'filled', 'unfillable')),
  -- Up to where another source has read it; null before its first page.
  add column fill_cursor text,
  -- When `state` changed last, milliseconds.
  add column changed_at bigint;
update idx.gaps g set first_seq = p.place, last_seq = p.place, state = 'unfillable'
  from (select k.epoch, k.from_ledger, coalesce((select max(l.last_seq) from idx.ledgers l where l.epoch = k.epoch and l.ledger < k.from_ledger), 0) as place
        from idx.gaps k) p
  where p.epoch = g.epoch and p.from_ledger = g.from_ledger;
create index gaps_by_place on idx.gaps (last_seq) where state <> 'filled';

alter table idx.cursor
  -- Places up to here are taken or set aside: the next event stands behind them.
  add column reserved_seq bigint not null default 0,
  -- The oldest ledger that the RPC had when the index moved last.
  add column oldest_ledger bigint;
