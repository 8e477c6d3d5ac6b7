-- What transactions changed in the market's storage, as a node reported it once. Nodes keep it for a week, so it is stored and kept when projections are
-- rebuilt. `effects` is null when no node had the transaction any more.
create table idx.transaction_effects (
  deployment integer not null references idx.epochs (number),
  tx_hash text not null,
  ledger bigint not null,
  effects jsonb,
  observed_at bigint not null,
  primary key (deployment, tx_hash)
);

-- Transactions of the market whose effects were not read yet; seq is that of the first event.
create table idx.unread_transactions (
  deployment integer not null references idx.epochs (number),
  tx_hash text not null,
  seq bigint not null,
  ledger bigint not null,
  primary key (deployment, tx_hash)
);
create index unread_transactions_by_seq on idx.unread_transactions (deployment, seq);

-- Every change of a position and what it moved. Null: unknown.
create table idx.position_fills (
  seq bigint not null,
  position_id bigint not null,
  deployment integer not null references idx.epochs (number),
  trader text not null,
  kind text not null,
  order_id bigint,
  asset text,
  direction smallint,
  margin_mode text,
  price numeric(39, 0),
  size numeric(39, 0),
  pnl numeric(39, 0),
  fee numeric(39, 0),
  keeper_reward numeric(39, 0),
  penalty numeric(39, 0),
  funding numeric(39, 0),
  payout numeric(39, 0),
  collateral numeric(39, 0),
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  primary key (seq, position_id)
);
create index position_fills_by_trader on idx.position_fills (trader, seq, position_id);
create index position_fills_by_order on idx.position_fills (deployment, order_id) where order_id is not null;
