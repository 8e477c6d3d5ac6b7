-- Versions of the open interest and of the ranking's totals are stored in blocks: a row and an index entry for each version cost more than its values.

-- A rebuild that was under way fills tables without blocks. Without them it begins again.
drop schema if exists shadow cascade;

alter table idx.interest_versions rename to unpacked_interest_versions;
alter table idx.unpacked_interest_versions drop constraint interest_versions_pkey;
create table idx.interest_versions (
  deployment integer not null,
  asset text not null,
  -- Where the block's range begins: a multiple of 1,024. The next block begins there or later.
  from_seq bigint not null,
  -- The seqs of the versions, ascending. The other arrays have their values in the same order.
  seqs bigint[] not null,
  long_sizes numeric[] not null,
  short_sizes numeric[] not null,
  positions bigint[] not null,
  primary key (deployment, asset, from_seq)
);
insert into idx.interest_versions
select deployment, asset, seq - seq % 1024, array_agg(seq order by seq), array_agg(long_size order by seq), array_agg(short_size order by seq),
  array_agg(positions order by seq)
from idx.unpacked_interest_versions group by 1, 2, 3;
drop table idx.unpacked_interest_versions;

alter table idx.trader_total_versions rename to unpacked_trader_total_versions;
alter table idx.unpacked_trader_total_versions drop constraint trader_total_versions_pkey;
create table idx.trader_total_versions (
  -- A multiple of 128.
  from_seq bigint primary key,
  seqs bigint[] not null,
  traders bigint[] not null,
  volumes numeric[] not null,
  trades bigint[] not null
);
insert into idx.trader_total_versions
select seq - seq % 128, array_agg(seq order by seq), array_agg(traders order by seq), array_agg(volume order by seq), array_agg(trades order by seq)
from idx.unpacked_trader_total_versions group by 1;
drop table idx.unpacked_trader_total_versions;
