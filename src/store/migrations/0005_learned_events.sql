-- Events whose account was learnt after they were archived: on the account's channel of the stream they take the place of a later event, which does not
-- concern the account itself, so that what was sent already keeps its order. Source data: a rebuild keeps it.
create table idx.learned_events (
  account text not null,
  seq bigint not null,
  -- The later event; null until one is archived.
  place bigint,
  primary key (account, seq)
);
create unique index learned_events_by_account on idx.learned_events (account, place) where place is not null;
create index learned_events_by_place on idx.learned_events (place);
create index learned_events_waiting on idx.learned_events (seq) where place is null;
