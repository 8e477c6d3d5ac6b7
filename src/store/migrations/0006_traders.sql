-- baseline
-- Results and ranking of traders.

-- Lifetime results of every trader, across deployments.
create table idx.traders (
  trader text collate "C" primary key,
  pnl numeric not null,
  volume numeric not null,
  trades bigint not null default 0,
  liq_count bigint not null default 0
);
create index traders_by_pnl on idx.traders (pnl desc, volume desc, trader);
create index traders_by_volume on idx.traders (volume desc, pnl desc, trader);

-- Lifetime results per trader. Best and worst trade refer to the log; null: none.
create table idx.trader_results (
  trader text primary key,
  realized_pnl numeric not null,
  wins bigint not null,
  losses bigint not null,
  best_seq bigint,
  best_pnl numeric(39),
  worst_seq bigint,
  worst_pnl numeric(39),
  first_ts bigint not null,
  last_ts bigint not null
);

-- Realized results per trader and interval, in intervals of a minute, an hour and a day. The last two columns count changes of a position whose fee or
-- funding is not known.
create table idx.trader_pnl (
  trader text not null,
  width int not null,
  time bigint not null,
  realized_pnl numeric not null,
  fees numeric not null,
  funding numeric not null,
  unknown_pnl bigint not null,
  unknown_fees bigint not null,
  unknown_funding bigint not null,
  primary key (trader, width, time)
);

-- The sums of idx.traders; one row.
create table idx.trader_totals (
  id int primary key default 1 check (id = 1),
  traders bigint not null,
  volume numeric not null,
  trades bigint not null
);

-- The ranking in slabs of the log: each begins with the version of every trader at its first seq, so that a past ranking is read from one slab.
create table idx.trader_slabs (
  slab int primary key,
  first_seq bigint not null,
  capacity bigint not null,
  changes bigint not null
);
create index trader_slabs_by_seq on idx.trader_slabs (first_seq);

create table idx.trader_versions (
  slab int not null,
  trader text collate "C" not null,
  from_seq bigint not null,
  to_seq bigint,
  pnl numeric not null,
  volume numeric not null,
  trades bigint not null,
  liq_count bigint not null,
  primary key (slab, trader, from_seq)
);
create index trader_versions_by_pnl on idx.trader_versions (slab, pnl desc, volume desc, trader);
create index trader_versions_by_volume on idx.trader_versions (slab, volume desc, pnl desc, trader);

create table idx.trader_total_versions (
  -- A multiple of 128.
  from_seq bigint primary key,
  seqs bigint[] not null,
  traders bigint[] not null,
  volumes numeric[] not null,
  trades bigint[] not null
);
