-- What the projections held at earlier positions of the log. Every version begins at a seq; it ends at another one, or with the next version of its key.

-- Where the present version of a position begins. The past ones, in which it was open, are rows of position_versions.
alter table idx.positions add since_seq bigint not null default 0;

create table idx.position_versions (
  deployment integer not null references idx.epochs (number),
  position_id bigint not null,
  from_seq bigint not null,
  to_seq bigint not null,
  trader text not null,
  asset text not null,
  direction smallint not null,
  size numeric(39, 0) not null,
  entry_price numeric(39, 0) not null,
  opened_seq bigint not null,
  opened_at bigint not null,
  opened_tx_hash text,
  -- True when a cross liquidation ended it. Only isolated positions survive one, and their mode may be learned later.
  cross_liquidated boolean not null,
  primary key (deployment, position_id, from_seq)
);
-- A version is a line from its first to its last seq, at the height of its opening: those at a seq are read in order of opening, without the ones that
-- had ended. The second index has them at the height of their trader.
create index position_versions_by_opening on idx.position_versions
  using gist (box(point(from_seq, opened_seq), point(to_seq - 1, opened_seq)));
create index position_versions_by_trader on idx.position_versions
  using gist (box(point(from_seq, hashtext(trader)), point(to_seq - 1, hashtext(trader))));

create table idx.interest_versions (
  deployment integer not null references idx.epochs (number),
  asset text not null,
  seq bigint not null,
  long_size numeric not null,
  short_size numeric not null,
  positions bigint not null,
  primary key (deployment, asset, seq)
);

create table idx.bad_debt_versions (
  deployment integer not null references idx.epochs (number),
  seq bigint not null,
  covered numeric not null,
  lp_absorbed numeric not null,
  events bigint not null,
  primary key (deployment, seq)
);

-- The ranking in slabs of the log: each begins with the version of every trader at its first seq, so that a past ranking is read from one slab.
create table idx.trader_slabs (
  slab integer primary key,
  first_seq bigint not null,
  capacity bigint not null,
  changes bigint not null
);
create index trader_slabs_by_seq on idx.trader_slabs (first_seq);

create table idx.trader_versions (
  slab integer not null,
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
  seq bigint primary key,
  traders bigint not null,
  volume numeric not null,
  trades bigint not null
);

create table idx.vault_versions (
  home integer not null references idx.epochs (number),
  vault_id bigint not null,
  seq bigint not null,
  total_usdc numeric not null,
  circulating_shares numeric not null,
  leader_shares numeric not null,
  hwm_nav numeric not null,
  realized_pnl numeric not null,
  profit_share_bps integer not null,
  paused boolean not null,
  depositor_count bigint not null,
  open_positions bigint not null,
  trade_count bigint not null,
  closed_trade_pnl numeric not null,
  updated_at bigint not null,
  primary key (home, vault_id, seq)
);

-- Figures read from the factory that differed from the stored ones. They include events up to `place`. Observed: a rebuild keeps them.
create table idx.vault_figures (
  home integer not null references idx.epochs (number),
  vault_id bigint not null,
  place bigint not null,
  total_usdc numeric(39, 0) not null,
  circulating_shares numeric(39, 0) not null,
  leader_shares numeric(39, 0) not null,
  hwm_nav numeric(39, 0) not null,
  realized_pnl numeric(39, 0) not null,
  profit_share_bps integer not null,
  paused boolean not null,
  primary key (home, vault_id, place)
);
insert into idx.vault_figures
select home, vault_id, place, total_usdc, circulating_shares, leader_shares, hwm_nav, realized_pnl, profit_share_bps, paused from idx.vault_observations;

-- Where the state as of a ledger ends, when a correction compared a later ledger.
create index corrections_by_ledger on idx.corrections (deployment, ledger, place);
