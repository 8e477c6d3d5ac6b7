-- baseline
-- What belongs to an account: its events, and its money.

-- Which events concern which account, one row per account and event: a feed reads its own rows and no others.
create table idx.account_events (
  account text not null,
  seq bigint not null,
  topic text not null,
  primary key (account, seq)
);
create index account_events_by_topic on idx.account_events (account, topic, seq);
create index account_events_of_order_ends on idx.account_events (seq) where topic in ('order_executed', 'order_cancelled');

-- Executions and cancellations of orders whose owner is not known; a row moves to account_events when that becomes known.
create table idx.ownerless_events (
  seq bigint primary key,
  contract_epoch int not null references idx.epochs (number),
  order_id bigint not null,
  ts bigint not null,
  topic text not null
);
create index ownerless_events_by_order on idx.ownerless_events (contract_epoch, order_id);
create index ownerless_events_newest on idx.ownerless_events (contract_epoch, seq);

-- Events whose account became known after they were archived: on the account's channel of the stream they have the seq of a later event
-- (`shown_seq`), which does not concern the account itself, so that what was sent already keeps its order. Source data: a rebuild keeps it.
create table idx.learned_events (
  account text not null,
  seq bigint not null,
  -- The later event; null until one is archived.
  shown_seq bigint,
  primary key (account, seq)
);
create unique index learned_events_by_account on idx.learned_events (account, shown_seq) where shown_seq is not null;
create index learned_events_by_shown_seq on idx.learned_events (shown_seq);
create index learned_events_waiting on idx.learned_events (seq) where shown_seq is null;

-- Movements of USDC between accounts and the exchange. `leg` orders the rows of one event. Null amounts: not known yet.
create table idx.cash_ledger (
  account text not null,
  seq bigint not null,
  leg smallint not null,
  kind text not null,
  amount numeric(39),
  balance_of text not null check (balance_of in ('wallet', 'cross')),
  position_id bigint,
  order_id bigint,
  vault_id bigint,
  fee numeric(39),
  funding numeric(39),
  pnl numeric(39),
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  primary key (account, seq, leg)
);
create index cash_ledger_by_kind on idx.cash_ledger (account, kind, seq, leg);
create index cash_ledger_by_seq on idx.cash_ledger (seq);
