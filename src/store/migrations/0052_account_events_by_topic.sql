-- A kind is three topics, whose rows a list merges by seq. Events name their accounts, all but the owner of an order that ends: only those are found by seq.
drop index idx.account_events_by_kind;
drop index idx.account_events_by_seq;
alter table idx.account_events drop column kind;
create index account_events_of_order_ends on idx.account_events (seq) where topic in ('order_executed', 'order_cancelled');
