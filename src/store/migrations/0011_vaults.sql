-- baseline
-- Trader vaults. Ids are unique within a `contract_epoch`, the first epoch with their factory on its chain.

create table idx.vaults (
  contract_epoch int not null references idx.epochs (number),
  vault_id bigint not null,
  leader text not null,
  name text not null,
  created_seq bigint not null,
  created_at bigint not null,
  total_usdc numeric not null,
  circulating_shares numeric not null,
  leader_shares numeric not null,
  hwm_nav numeric not null,
  realized_pnl numeric not null,
  profit_share_bps int not null,
  paused boolean not null,
  depositor_count bigint not null,
  open_positions bigint not null,
  trade_count bigint not null,
  closed_trade_pnl numeric not null,
  -- The ledger of the last event that changed it, and its close time in milliseconds.
  last_ledger bigint not null,
  updated_at bigint not null,
  -- A leader's trade makes the factory recompute its money, which no event reports: to be read again.
  is_unsettled boolean not null,
  primary key (contract_epoch, vault_id)
);
create index vaults_by_leader on idx.vaults (contract_epoch, leader, created_seq);
create index vaults_newest on idx.vaults (contract_epoch, created_seq);
create index vaults_unsettled on idx.vaults (contract_epoch, last_ledger) where is_unsettled;

create table idx.vault_versions (
  contract_epoch int not null references idx.epochs (number),
  vault_id bigint not null,
  seq bigint not null,
  total_usdc numeric not null,
  circulating_shares numeric not null,
  leader_shares numeric not null,
  hwm_nav numeric not null,
  realized_pnl numeric not null,
  profit_share_bps int not null,
  paused boolean not null,
  depositor_count bigint not null,
  open_positions bigint not null,
  trade_count bigint not null,
  closed_trade_pnl numeric not null,
  updated_at bigint not null,
  primary key (contract_epoch, vault_id, seq)
);

-- Vaults as the factory states them. Source data: a rebuild keeps them, and events up to `through_seq` are counted in them already.
create table idx.vault_observations (
  contract_epoch int not null references idx.epochs (number),
  vault_id bigint not null,
  total_usdc numeric(39) not null,
  circulating_shares numeric(39) not null,
  leader_shares numeric(39) not null,
  hwm_nav numeric(39) not null,
  realized_pnl numeric(39) not null,
  profit_share_bps int not null,
  paused boolean not null,
  -- The ledger that it was read at, and the head of the log then.
  ledger bigint not null,
  through_seq bigint not null,
  -- How often what events had added up to was not what the factory said, leader trades apart.
  corrections bigint not null,
  observed_at bigint not null,
  primary key (contract_epoch, vault_id)
);

-- Figures read from the factory that differed from the stored ones. They include events up to `seq`. Observed: a rebuild keeps them.
create table idx.vault_figures (
  contract_epoch int not null references idx.epochs (number),
  vault_id bigint not null,
  seq bigint not null,
  total_usdc numeric(39) not null,
  circulating_shares numeric(39) not null,
  leader_shares numeric(39) not null,
  hwm_nav numeric(39) not null,
  realized_pnl numeric(39) not null,
  profit_share_bps int not null,
  paused boolean not null,
  primary key (contract_epoch, vault_id, seq)
);

create table idx.vault_depositors (
  contract_epoch int not null references idx.epochs (number),
  vault_id bigint not null,
  depositor text not null,
  primary key (contract_epoch, vault_id, depositor)
);

-- Whose orders are whose: what a vault's order opens is the vault's.
create table idx.vault_orders (
  contract_epoch int not null references idx.epochs (number),
  order_id bigint not null,
  vault_id bigint not null,
  leader text not null,
  -- What a vault paid when its order was placed: the collateral of the position that the order opens. Null: the archive does not have the transfer.
  collateral numeric(39),
  primary key (contract_epoch, order_id)
);

-- On the market every vault's positions are the factory's.
create table idx.vault_positions (
  contract_epoch int not null references idx.epochs (number),
  position_id bigint not null,
  vault_id bigint not null,
  leader text not null,
  is_open boolean not null,
  primary key (contract_epoch, position_id)
);

create table idx.vault_trades (
  seq bigint primary key,
  contract_epoch int not null references idx.epochs (number),
  vault_id bigint not null,
  -- A u64: wider than a bigint.
  position_id numeric(20) not null,
  action text not null check (action in ('open', 'close')),
  leader text not null,
  collateral numeric(39) not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  pnl numeric(39)
);
create index vault_trades_by_vault on idx.vault_trades (contract_epoch, vault_id, seq);

create table idx.vault_flows (
  seq bigint primary key,
  contract_epoch int not null references idx.epochs (number),
  vault_id bigint not null,
  kind text not null check (kind in ('deposit', 'withdraw', 'fee_claim')),
  principal text not null,
  amount numeric(39) not null,
  shares numeric(39),
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null
);
create index vault_flows_by_vault on idx.vault_flows (contract_epoch, vault_id, kind, seq);

create table idx.vault_flow_sums (
  contract_epoch int not null references idx.epochs (number),
  vault_id bigint not null,
  time bigint not null,
  deposits numeric not null,
  withdrawals numeric not null,
  primary key (contract_epoch, vault_id, time)
);

-- Trader vaults as they were read from their factory, at most once in five minutes. Source data: a rebuild keeps it.
create table idx.vault_samples (
  contract_epoch int not null references idx.epochs (number),
  vault_id bigint not null,
  time bigint not null,
  ledger bigint not null,
  total_usdc numeric(39) not null,
  circulating_shares numeric(39) not null,
  hwm_nav numeric(39) not null,
  primary key (contract_epoch, vault_id, time)
);
