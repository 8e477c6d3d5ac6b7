-- `home` below is the number of the first epoch with this contract on this incarnation of the network: what its codes and ids are unique in.

-- Who owns which referral code, and what came of it.
create table idx.referrers (
  home int not null references idx.epochs (number),
  referrer text not null,
  code text not null,
  created_at bigint not null,
  referred_count bigint not null,
  -- Sum of fees, not of sizes.
  total_volume_generated numeric not null,
  total_earned numeric not null,
  claimable numeric not null,
  -- Close time of the last event that changed it, milliseconds.
  updated_at bigint not null,
  primary key (home, referrer)
);
create index referrers_by_code on idx.referrers (home, code);

-- Who was referred by whom, once and for good.
create table idx.referral_bindings (
  home int not null references idx.epochs (number),
  referee text not null,
  referrer text not null,
  code text not null,
  bound_at bigint not null,
  tx_hash text not null,
  primary key (home, referee)
);

create table idx.referral_trades (
  seq bigint primary key,
  referee text not null,
  referrer text not null,
  original_fee numeric(39, 0) not null,
  discount numeric(39, 0) not null,
  payout numeric(39, 0) not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null
);
create index referral_trades_by_referrer on idx.referral_trades (referrer, seq);

create table idx.referral_claims (
  seq bigint primary key,
  referrer text not null,
  amount numeric(39, 0) not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null
);
create index referral_claims_by_referrer on idx.referral_claims (referrer, seq);

-- Vaults as the factory states them. Source data: a rebuild keeps them, and events up to `place` are counted in them already.
create table idx.vault_observations (
  home int not null references idx.epochs (number),
  vault_id bigint not null,
  total_usdc numeric(39, 0) not null,
  circulating_shares numeric(39, 0) not null,
  leader_shares numeric(39, 0) not null,
  hwm_nav numeric(39, 0) not null,
  realized_pnl numeric(39, 0) not null,
  profit_share_bps int not null,
  paused boolean not null,
  -- The ledger that it was read at, and the head of the log then.
  ledger bigint not null,
  place bigint not null,
  -- How often what events had added up to was not what the factory said, leader trades apart.
  corrections bigint not null,
  observed_at bigint not null,
  primary key (home, vault_id)
);

create table idx.vaults (
  home int not null references idx.epochs (number),
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
  -- A leader's trade makes the factory count its money anew, which no event tells: to be read back.
  is_unsettled boolean not null,
  primary key (home, vault_id)
);
create index vaults_newest on idx.vaults (home, created_seq);
create index vaults_by_leader on idx.vaults (home, leader, created_seq);
create index vaults_unsettled on idx.vaults (home, last_ledger) where is_unsettled;

create table idx.vault_depositors (
  home int not null references idx.epochs (number),
  vault_id bigint not null,
  depositor text not null,
  primary key (home, vault_id, depositor)
);

-- Whose orders are whose: what a vault's order opens is the vault's.
create table idx.vault_orders (
  home int not null references idx.epochs (number),
  order_id bigint not null,
  vault_id bigint not null,
  leader text not null,
  primary key (home, order_id)
);

-- On the market every vault's positions are the factory's.
create table idx.vault_positions (
  home int not null references idx.epochs (number),
  position_id bigint not null,
  vault_id bigint not null,
  leader text not null,
  is_open boolean not null,
  primary key (home, position_id)
);

create table idx.vault_trades (
  seq bigint primary key,
  home int not null references idx.epochs (number),
  vault_id bigint not null,
  -- A u64: wider than a bigint.
  position_id numeric(20, 0) not null,
  action text not null check (action in ('open', 'close')),
  leader text not null,
  collateral numeric(39, 0) not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  pnl numeric(39, 0)
);
create index vault_trades_by_vault on idx.vault_trades (home, vault_id, seq);

create table idx.vault_flows (
  seq bigint primary key,
  home int not null references idx.epochs (number),
  vault_id bigint not null,
  kind text not null check (kind in ('deposit', 'withdraw', 'fee_claim')),
  principal text not null,
  amount numeric(39, 0) not null,
  shares numeric(39, 0),
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null
);
create index vault_flows_by_vault on idx.vault_flows (home, vault_id, kind, seq);
