-- What was traded in each bucket. A bucket without a trade has no row.
create table idx.candle_volumes (
  asset text not null,
  interval text not null,
  time bigint not null,
  volume numeric(39, 0) not null,
  trades bigint not null,
  primary key (asset, interval, time)
);

-- Candles that changed after their bucket had ended by ledger time. Not from the archive: a rebuild leaves them alone.
create table idx.candle_revisions (
  asset text not null,
  interval text not null,
  time bigint not null,
  revision integer not null,
  -- Grows in the order of commits: the stream reads what is above the last one that it sent.
  version bigint not null,
  primary key (asset, interval, time)
);
create index candle_revisions_version on idx.candle_revisions (version);

-- The version of the newest revision. Whoever changes candles locks this row first, so that a bucket cannot end in between.
alter table idx.cursor add column candle_version bigint not null default 0;
