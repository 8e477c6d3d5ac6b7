-- Every transaction of the market is noted here once, in the order of the log, so a key in that order costs less than one by hash.
alter table idx.unread_transactions drop constraint unread_transactions_pkey;
drop index idx.unread_transactions_by_seq;
alter table idx.unread_transactions add primary key (deployment, seq);
