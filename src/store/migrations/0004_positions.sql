-- baseline
-- Positions, the changes of each, and the open interest.

-- Tables named …_versions have the past states that a read as of a ledger needs. Like all projections they are emptied and refilled by a rebuild, unless
-- a table is marked as observed.

-- Margin modes read from ledger entries; no event reports them. Source data: a rebuild keeps it.
create table idx.margin_modes (
  contract_epoch int not null references idx.epochs (number),
  position_id bigint not null,
  mode text not null check (mode in ('isolated', 'cross')),
  ledger bigint not null,
  observed_at bigint not null,
  primary key (contract_epoch, position_id)
);

-- How many ids of the exchange are known from events: the market's positions and orders, the factory's vaults. Ids are assigned one after the other, so
-- that missing ones are counted without being looked for.
create table idx.seen_ids (
  -- The epoch that named the contract first.
  contract_epoch int not null references idx.epochs (number),
  kind text not null check (kind in ('position', 'order', 'vault')),
  -- The first known one; those before it are not counted.
  first_id bigint not null,
  seen bigint not null,
  primary key (contract_epoch, kind)
);

-- Every position ever opened.
create table idx.positions (
  contract_epoch int not null,
  position_id bigint not null,
  trader text not null,
  asset text not null,
  direction smallint not null,
  size numeric(39) not null,
  entry_price numeric(39) not null,
  opened_seq bigint not null,
  opened_at bigint not null,
  opened_tx_hash text,
  -- Null: not known. A cross_liquidated position of unknown mode has ended provisionally.
  margin_mode text check (margin_mode in ('isolated', 'cross')),
  state text not null check (state in ('open', 'closed', 'liquidated', 'cross_liquidated', 'ended')),
  -- Where the present version of a position begins. The past ones, in which it was open, are rows of position_versions.
  since_seq bigint not null default 0,
  primary key (contract_epoch, position_id)
);
create index positions_open on idx.positions (contract_epoch, opened_seq) where state = 'open';
create index positions_open_by_asset on idx.positions (contract_epoch, asset, opened_seq) where state = 'open';
create index positions_open_by_trader on idx.positions (contract_epoch, trader, opened_seq) where state = 'open';
create index positions_to_observe on idx.positions (contract_epoch, opened_seq) where margin_mode is null and state in ('open', 'cross_liquidated');

create table idx.position_versions (
  contract_epoch int not null,
  position_id bigint not null,
  from_seq bigint not null,
  to_seq bigint not null,
  trader text not null,
  asset text not null,
  direction smallint not null,
  size numeric(39) not null,
  entry_price numeric(39) not null,
  opened_seq bigint not null,
  opened_at bigint not null,
  opened_tx_hash text,
  -- True when a cross liquidation ended it. Only isolated positions survive one, and their mode may be learned later.
  cross_liquidated boolean not null,
  primary key (contract_epoch, position_id, from_seq)
);
-- A version is a line from its first to its last seq, at the height of its opening: those at a seq are read in order of opening, without the ones that
-- had ended. The second index has them at the height of their trader.
create index position_versions_by_opening on idx.position_versions
  using gist (box(point(from_seq, opened_seq), point(to_seq - 1, opened_seq)));
create index position_versions_by_trader on idx.position_versions
  using gist (box(point(from_seq, hashtext(trader)), point(to_seq - 1, hashtext(trader))));

-- Opened positions, for the trade list.
create table idx.opens (
  seq bigint primary key,
  position_id bigint not null,
  trader text not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  asset text not null,
  direction smallint not null,
  size numeric(39) not null,
  entry_price numeric(39) not null,
  order_id bigint
);
create index opens_by_asset on idx.opens (asset, seq);
create index opens_by_trader on idx.opens (trader, seq);
create index opens_by_trader_and_asset on idx.opens (trader, asset, seq);

-- Every change of a position and what it moved. Null: unknown.
create table idx.position_fills (
  seq bigint not null,
  position_id bigint not null,
  contract_epoch int not null,
  trader text not null,
  kind text not null,
  order_id bigint,
  asset text,
  direction smallint,
  margin_mode text,
  price numeric(39),
  size numeric(39),
  pnl numeric(39),
  fee numeric(39),
  keeper_reward numeric(39),
  penalty numeric(39),
  funding numeric(39),
  payout numeric(39),
  collateral numeric(39),
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  primary key (seq, position_id)
);
create index position_fills_by_order on idx.position_fills (contract_epoch, order_id) where order_id is not null;
create index position_fills_by_trader on idx.position_fills (trader, seq, position_id);

-- Open interest per asset; never summed over positions.
create table idx.open_interest (
  contract_epoch int not null references idx.epochs (number),
  asset text not null,
  long_size numeric not null,
  short_size numeric not null,
  positions bigint not null,
  primary key (contract_epoch, asset)
);

create table idx.interest_versions (
  contract_epoch int not null,
  asset text not null,
  -- Where the block's range begins: a multiple of 1,024. The next block begins there or later.
  from_seq bigint not null,
  -- The seqs of the versions, ascending. The other arrays have their values in the same order.
  seqs bigint[] not null,
  long_sizes numeric[] not null,
  short_sizes numeric[] not null,
  positions bigint[] not null,
  primary key (contract_epoch, asset, from_seq)
);

-- Losses that no account could pay.
create table idx.bad_debts (
  contract_epoch int primary key references idx.epochs (number),
  covered numeric not null,
  lp_absorbed numeric not null,
  events bigint not null
);

create table idx.bad_debt_versions (
  contract_epoch int not null references idx.epochs (number),
  seq bigint not null,
  covered numeric not null,
  lp_absorbed numeric not null,
  events bigint not null,
  primary key (contract_epoch, seq)
);
