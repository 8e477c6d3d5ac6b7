-- baseline
-- Prices and volumes by interval. Prices are observed: a rebuild leaves candles and their revisions alone.

-- Prices folded into buckets, the forming one included. Not from the archive: a rebuild leaves them alone.
create table idx.candles (
  asset text not null,
  interval text not null,
  time bigint not null,
  open numeric(39) not null,
  high numeric(39) not null,
  low numeric(39) not null,
  close numeric(39) not null,
  -- When the first and the last price of the bucket were attested: ticks may come late and still find their place.
  open_ts bigint not null,
  close_ts bigint not null,
  -- Where the prices of a candle come from. 'trades': at least one of its four prices is of a trade, because the gateway did not read the oracle then.
  source text not null default 'oracle' check (source in ('oracle', 'trades')),
  -- Positions in the log of the trades that open and close a candle; null for prices of the oracle. Seconds may repeat from protocol 30 on.
  open_seq bigint,
  close_seq bigint,
  primary key (asset, interval, time)
);

-- What was traded in each bucket. A bucket without a trade has no row.
create table idx.candle_volumes (
  asset text not null,
  interval text not null,
  time bigint not null,
  volume numeric not null,
  trades bigint not null,
  primary key (asset, interval, time)
);

-- Candles that changed after their bucket had ended by ledger time. Not from the archive: a rebuild leaves them alone.
create table idx.candle_revisions (
  asset text not null,
  interval text not null,
  time bigint not null,
  revision int not null,
  -- Grows in the order of commits: the stream reads what is above the last one that it sent.
  version bigint not null,
  primary key (asset, interval, time)
);
create index candle_revisions_version on idx.candle_revisions (version);
