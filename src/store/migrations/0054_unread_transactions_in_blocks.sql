-- Transactions to read are stored in blocks: catching up notes every transaction of the market, and a row for each costs more than its number.

-- A rebuild that was under way fills a table without blocks. Without it the rebuild begins again.
drop schema if exists shadow cascade;

alter table idx.unread_transactions rename to unpacked_unread_transactions;
alter table idx.unpacked_unread_transactions drop constraint unread_transactions_pkey;
create table idx.unread_transactions (
  deployment integer not null,
  -- Where the block's range begins: a multiple of 256.
  from_seq bigint not null,
  -- The first event of each transaction, ascending.
  seqs bigint[] not null,
  primary key (deployment, from_seq)
);
insert into idx.unread_transactions
select deployment, seq - seq % 256, array_agg(seq order by seq) from idx.unpacked_unread_transactions group by 1, 2;
drop table idx.unpacked_unread_transactions;
