-- Where money went: movements per account, results per trader, and what was deposited into the pool and the vaults over time.

-- Movements of USDC between accounts and the exchange. `leg` orders the rows of one event. Null amounts: not known yet.
create table idx.cash_ledger (
  account text not null,
  seq bigint not null,
  leg smallint not null,
  kind text not null,
  amount numeric(39, 0),
  balance_of text not null check (balance_of in ('wallet', 'cross')),
  position_id bigint,
  order_id bigint,
  vault_id bigint,
  fee numeric(39, 0),
  funding numeric(39, 0),
  pnl numeric(39, 0),
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  primary key (account, seq, leg)
);
create index cash_ledger_by_kind on idx.cash_ledger (account, kind, seq, leg);
create index cash_ledger_by_seq on idx.cash_ledger (seq);

-- Lifetime results per trader. Best and worst trade refer to the log; null: none.
create table idx.trader_results (
  trader text primary key,
  realized_pnl numeric not null,
  wins bigint not null,
  losses bigint not null,
  best_seq bigint,
  best_pnl numeric(39, 0),
  worst_seq bigint,
  worst_pnl numeric(39, 0),
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

-- Deposits and withdrawals per five minutes.
create table idx.pool_flows (
  time bigint primary key,
  deposits numeric not null,
  withdrawals numeric not null
);
create table idx.vault_flow_sums (
  home int not null references idx.epochs (number),
  vault_id bigint not null,
  time bigint not null,
  deposits numeric not null,
  withdrawals numeric not null,
  primary key (home, vault_id, time)
);

-- Trader vaults as they were read from their factory, at most once in five minutes. Source data: a rebuild keeps it.
create table idx.vault_samples (
  home int not null references idx.epochs (number),
  vault_id bigint not null,
  time bigint not null,
  ledger bigint not null,
  total_usdc numeric(39, 0) not null,
  circulating_shares numeric(39, 0) not null,
  hwm_nav numeric(39, 0) not null,
  primary key (home, vault_id, time)
);
